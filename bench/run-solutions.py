"""Runs Python solutions with their tests: one JSON object per line in, one out. Each has its own process and folder."""
import io, json, os, resource, shutil, signal, subprocess, sys, tempfile, unittest

SECONDS = 4


def run_program(job):
    results = {}
    code = compile(job["solution"], "solution.py", "exec")
    for at, (given, wanted) in enumerate(job["io"]):
        sys.stdin, sys.stdout = io.TextIOWrapper(io.BytesIO(given.encode())), io.StringIO()
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit:
            pass
        except BaseException:
            print("failed")
        results[f"test_io_{at}"] = sys.stdout.getvalue().split() == wanted.split()
    return results


def run_tests(job):
    module, tests = job.get("module", "solution"), f"test_{job.get('module', 'solution')}"
    for name, text in ((module, job["solution"]), (tests, job["tests"])):
        with open(f"{name}.py", "w") as file:
            file.write(text)
    sys.path.insert(0, os.getcwd())
    sys.stdout = sys.stderr = open(os.devnull, "w")
    loaded = __import__(tests)
    results = {}
    for suite in unittest.defaultTestLoader.loadTestsFromModule(loaded):
        for case in suite:
            results[case.id().split(".")[-1]] = outcome(case)
    for name, test in list(vars(loaded).items()):
        if name.startswith("test_") and callable(test) and test.__module__ == tests:
            try:
                test()
                results[name] = True
            except BaseException:
                results[name] = False
    return results


def outcome(case):
    result = unittest.TestResult()
    case.run(result)
    return result.wasSuccessful()


def run(job):
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    try:
        results = run_program(job) if job.get("io") else run_tests(job)
    except BaseException:
        results = None
    return json.dumps({"id": job["id"], "results": results})


for line in sys.stdin:
    job = json.loads(line)
    folder = tempfile.mkdtemp()
    answer = os.path.join(folder, "answer.json")
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS * 2)
        os.chdir(folder)
        with open(answer, "w") as file:
            file.write(run(job))
        os._exit(0)
    os.waitpid(child, 0)
    try:
        with open(answer) as file:
            print(file.read() or json.dumps({"id": job["id"]}), flush=True)
    except OSError:
        print(json.dumps({"id": job["id"]}), flush=True)
    shutil.rmtree(folder, ignore_errors=True)
