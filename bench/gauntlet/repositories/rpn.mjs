// A C program built and tested by make; its test program prints TAP.

const source = (operation) => `#include "rpn.h"
#include <ctype.h>
#include <stdlib.h>

/* Reads numbers and operators from the left; returns 0 and puts the value into *value, or -1. */
int rpn(const char *text, long *value) {
  long stack[64];
  int depth = 0;
  while (*text) {
    if (isspace((unsigned char)*text)) {
      text++;
    } else if (isdigit((unsigned char)*text)) {
      if (depth == 64) return -1;
      stack[depth++] = strtol(text, (char **)&text, 10);
    } else {
${operation}
    }
  }
  if (depth != 1) return -1;
  *value = stack[0];
  return 0;
}
`

export default {
  language: 'c',
  needs: ['cc', 'make'],
  prompt:
    'Let rpn in rpn.c know minus and times beside plus, and return -1 when an operator lacks operands or is unknown.',
  files: {
    '.gitignore': 'rpn_test\n',
    Makefile:
      'test: rpn_test\n\t./rpn_test\n\nrpn_test: rpn.c rpn.h rpn_test.c\n\t$(CC) -o $@ rpn.c rpn_test.c\n\n.PHONY: test\n',
    'rpn.h': 'int rpn(const char *text, long *value);\n',
    'rpn.c': source('      text++;\n      if (depth > 1) depth--, stack[depth - 1] += stack[depth];'),
    'rpn_test.c': `#include "rpn.h"
#include <stdio.h>

static int count, failed;

static void check(const char *name, int good) {
  count++;
  failed += !good;
  printf("%sok %d - %s\\n", good ? "" : "not ", count, name);
}

int main(void) {
  long value = 0;
  printf("TAP version 13\\n1..3\\n");
  check("plus", rpn("2 3 +", &value) == 0 && value == 5);
  check("minus", rpn("9 4 -", &value) == 0 && value == 5);
  check("an operator without operands", rpn("+", &value) == -1);
  return failed > 0;
}
`,
  },
  test: 'make -s test',
  half: {
    'rpn.c': source(
      '      char sign = *text++;\n      if (depth < 2) return -1;\n      depth--;\n      stack[depth - 1] += sign == 43 ? stack[depth] : 1;',
    ),
  },
  solved: {
    'rpn.c': source(`      char sign = *text++;
      if (depth < 2) return -1;
      depth--;
      if (sign == '+') stack[depth - 1] += stack[depth];
      else if (sign == '-') stack[depth - 1] -= stack[depth];
      else if (sign == '*') stack[depth - 1] *= stack[depth];
      else return -1;`),
  },
  hidden: {
    files: {
      'acceptance.c': `#include "rpn.h"
#include <stdio.h>
int main(void) {
  long v = 0;
  if (rpn("2 3 4 * +", &v) != 0 || v != 14) return 1;
  if (rpn("9 4 -", &v) != 0 || v != 5) return 2;
  if (rpn("1 2 /", &v) != -1 || rpn("1 -", &v) != -1) return 3;
  puts("accepted");
  return 0;
}
`,
    },
    command: ['/bin/sh', '-c', 'cc -o acceptance rpn.c acceptance.c && ./acceptance'],
    says: 'accepted',
  },
}
