/**
 * The fleet's own tables, one entry per version. Never change an entry that was released. DBOS has a schema of its own. Output of
 * agents is stored as text, because JSON columns reject characters that JSON itself allows.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE exitgate.backlogs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    usd double precision,
    tokens double precision,
    minutes double precision,
    calls_per_hour integer,
    submitted_at timestamptz NOT NULL DEFAULT now()
  );
  -- Tasks that compete for the same things stand in one lane: a claim looks at the heads of the lanes and at nothing else.
  CREATE TABLE exitgate.lanes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    repository text NOT NULL,
    key text NOT NULL,
    UNIQUE (queue, repository, key)
  );
  CREATE TABLE exitgate.tasks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    backlog bigint NOT NULL REFERENCES exitgate.backlogs,
    queue text NOT NULL,
    -- Names folders on workers and branches of remotes.
    name text NOT NULL CHECK (name ~ '^[A-Za-z0-9_][A-Za-z0-9._-]{0,59}$' AND name !~ '[.][.]'),
    lane integer NOT NULL REFERENCES exitgate.lanes,
    priority integer NOT NULL,
    entry text NOT NULL,
    standing text NOT NULL CHECK (standing IN ('waiting', 'ready', 'running', 'completed', 'failed', 'blocked')),
    -- Tasks that must be completed before it.
    open_needs integer NOT NULL,
    reason text
  );
  CREATE UNIQUE INDEX tasks_unfinished ON exitgate.tasks (queue, name) WHERE standing IN ('waiting', 'ready', 'running');
  CREATE INDEX tasks_by_name ON exitgate.tasks (queue, name, id);
  CREATE INDEX tasks_ready ON exitgate.tasks (lane, priority DESC, id) WHERE standing = 'ready';
  CREATE INDEX tasks_running ON exitgate.tasks (lane) WHERE standing = 'running';
  CREATE INDEX tasks_standing ON exitgate.tasks (queue, standing);
  CREATE TABLE exitgate.needs (
    task bigint NOT NULL REFERENCES exitgate.tasks,
    needs bigint NOT NULL REFERENCES exitgate.tasks,
    PRIMARY KEY (needs, task)
  );
  CREATE INDEX needs_of ON exitgate.needs (task);
  CREATE TABLE exitgate.workers (
    id text PRIMARY KEY,
    host text NOT NULL,
    folder text NOT NULL,
    queue text NOT NULL,
    concurrency integer NOT NULL,
    lease_seconds double precision NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT now(),
    beat timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE exitgate.runs (
    id text PRIMARY KEY,
    task bigint NOT NULL REFERENCES exitgate.tasks,
    queue text NOT NULL,
    epoch integer NOT NULL,
    worker text,
    standing text NOT NULL CHECK (standing IN ('queued', 'running', 'ended')),
    -- As of the last step: the journal's last line, the work in git, the plan as it was last looked at.
    seq integer NOT NULL DEFAULT 0,
    -- The last step that changed any of this, and what it brought: its own keeper may not have heard of it when a worker dies.
    step text,
    result text,
    work text,
    plan text,
    pinned text,
    iterations integer NOT NULL DEFAULT 0,
    -- The gate of the last verdict and what was first missing, for whoever may not read journals.
    verdict text,
    outcome text,
    ending text,
    reason text,
    usd double precision,
    tokens double precision,
    branch text,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
  );
  CREATE INDEX runs_unended ON exitgate.runs (queue, worker) WHERE standing <> 'ended';
  CREATE INDEX runs_by_task ON exitgate.runs (task);
  CREATE INDEX runs_newest ON exitgate.runs (queue, started_at DESC);
  CREATE TABLE exitgate.lines (
    run text NOT NULL REFERENCES exitgate.runs,
    seq integer NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE TABLE exitgate.files (
    run text NOT NULL REFERENCES exitgate.runs,
    path text NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (run, path)
  );
  ALTER TABLE exitgate.files ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE exitgate.controls (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run text NOT NULL REFERENCES exitgate.runs,
    kind text NOT NULL CHECK (kind IN ('interrupt', 'force', 'skip', 'reset-breaker', 'guidance', 'pause', 'resume')),
    by text NOT NULL,
    reason text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    -- The step that took it.
    taken text
  );
  CREATE INDEX controls_untaken ON exitgate.controls (run, id) WHERE taken IS NULL;
  CREATE TABLE exitgate.drains (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX drains_of ON exitgate.drains (worker);
  CREATE TABLE exitgate.calls (
    run text NOT NULL REFERENCES exitgate.runs,
    iteration integer NOT NULL,
    attempt integer NOT NULL,
    key text NOT NULL,
    backlog bigint NOT NULL,
    at timestamptz NOT NULL,
    usd double precision NOT NULL DEFAULT 0,
    tokens double precision NOT NULL DEFAULT 0,
    ms double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (run, iteration, attempt)
  );
  CREATE INDEX calls_by_key ON exitgate.calls (key, at);
  CREATE INDEX calls_by_backlog ON exitgate.calls (backlog, at);
  CREATE TABLE exitgate.limits (
    kind text NOT NULL CHECK (kind IN ('queue', 'repository', 'key')),
    name text NOT NULL,
    at_once integer CHECK (at_once > 0),
    calls_per_hour integer CHECK (calls_per_hour > 0),
    PRIMARY KEY (kind, name)
  );
  `,
]

/** Permissions of each role, granted again at every migration. Submitting and operating don't include reading. */
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  exitgate_submit: [
    'GRANT INSERT ON exitgate.backlogs, exitgate.lanes, exitgate.tasks, exitgate.needs TO exitgate_submit',
    'GRANT SELECT (id, queue, repository, key) ON exitgate.lanes TO exitgate_submit',
    'GRANT SELECT (id, queue, name, standing) ON exitgate.tasks TO exitgate_submit',
    'GRANT SELECT (id) ON exitgate.backlogs TO exitgate_submit',
    'GRANT SELECT ON exitgate.version TO exitgate_submit',
  ],
  exitgate_operate: [
    'GRANT INSERT ON exitgate.controls, exitgate.drains TO exitgate_operate',
    'GRANT SELECT ON exitgate.version, exitgate.runs, exitgate.tasks, exitgate.workers, exitgate.limits, exitgate.controls TO exitgate_operate',
    'GRANT INSERT, UPDATE ON exitgate.limits TO exitgate_operate',
  ],
  exitgate_read: ['GRANT SELECT ON ALL TABLES IN SCHEMA exitgate TO exitgate_read'],
}
