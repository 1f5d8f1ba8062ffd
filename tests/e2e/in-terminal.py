# Runs a command in a terminal of its own. Each line on our input is a wish, in JSON: {"type": text}, {"size": [rows, columns]} or
# {"close": true}. What the terminal shows comes on our output. Ends like the command.
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

rows, columns = int(sys.argv[1]), int(sys.argv[2])
command = sys.argv[3:]


def resize(to):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", to[0], to[1], 0, 0))


# The command waits until its terminal has a size.
ready, go = os.pipe()
pid, master = pty.fork()
if pid == 0:
    os.close(go)
    os.read(ready, 1)
    os.close(ready)
    os.execvp(command[0], command)
os.close(ready)
resize((rows, columns))
os.close(go)
wishes = b""
watched = [0, master]
while master in watched:
    for each in select.select(watched, [], [])[0]:
        try:
            data = os.read(each, 65536)
        except OSError:
            data = b""
        if each == master:
            if data:
                os.write(1, data)
            else:
                watched.remove(master)
            continue
        # Whoever is gone has closed it.
        *lines, wishes = (wishes + (data or b'\n{"close": true}\n')).split(b"\n")
        for line in filter(None, lines):
            wish = json.loads(line)
            if "type" in wish:
                os.write(master, wish["type"].encode())
            elif "size" in wish:
                resize(wish["size"])
            elif master in watched:
                os.close(master)
                # The end of our output says so.
                os.close(1)
                watched = []
        if not watched:
            break
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
