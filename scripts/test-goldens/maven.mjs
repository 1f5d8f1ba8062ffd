const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>sums</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.4</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <artifactId>maven-resources-plugin</artifactId>
        <version>3.3.1</version>
      </plugin>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.13.0</version>
      </plugin>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.5.5</version>
        <dependencies>
          <dependency>
            <groupId>org.codehaus.plexus</groupId>
            <artifactId>plexus-utils</artifactId>
            <version>4.1.0</version>
          </dependency>
        </dependencies>
      </plugin>
    </plugins>
  </build>
</project>
`
const test = (name, body) => `package com.example;

import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;

public class ${name} {
${body}}
`
const green = {
  'src/test/java/com/example/SumsTest.java': test(
    'SumsTest',
    '  @Test void adds() { assertEquals(2, 1 + 1); }\n  @Test void greets() {}\n  @Disabled @Test void divides() {}\n',
  ),
}

export default {
  name: 'surefire',
  needs: ['mvn', 'javac'],
  files: { 'pom.xml': pom },
  // Uses what the user's own builds have downloaded; nothing is downloaded for a golden file.
  run: 'mvn -B -o -Dstyle.color=never -Dmaven.repo.local=$USER_HOME/.m2/repository test',
  reports: { xml: 'target/surefire-reports/TEST-*.xml' },
  cases: {
    passes: { files: green, expect: { passed: 2, failed: 0, skipped: 1, ok: true } },
    fails: {
      files: {
        ...green,
        'src/test/java/com/example/OtherTest.java': test(
          'OtherTest',
          '  @Test void right() {}\n  @Test void wrong() { assertEquals(1, 2); }\n',
        ),
      },
      expect: { passed: 3, failed: 1, skipped: 1, ok: false },
      expectReport: { passed: 1, failed: 1, skipped: 0 },
    },
    none: {
      files: { 'src/main/java/com/example/Sums.java': 'package com.example;\n\npublic class Sums {}\n' },
      expect: { passed: 0, failed: 0, ok: null },
    },
    unbuilt: {
      files: {
        ...green,
        'src/test/java/com/example/BrokenTest.java': test('BrokenTest', '  @Test void broken() { notThere(); }\n'),
      },
      reports: {},
      expect: { ok: false },
    },
    crashed: {
      files: {
        'src/test/java/com/example/ExitTest.java': test('ExitTest', '  @Test void exits() { System.exit(0); }\n'),
      },
      reports: {},
      expect: { ok: false },
    },
  },
}
