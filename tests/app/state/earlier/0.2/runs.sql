BEGIN TRANSACTION;
CREATE TABLE runs(id TEXT PRIMARY KEY, kind TEXT NOT NULL, time TEXT NOT NULL, bundle TEXT NOT NULL,
        name TEXT NOT NULL, digest TEXT NOT NULL, precision TEXT NOT NULL, layout TEXT NOT NULL, provider TEXT NOT NULL,
        version TEXT NOT NULL, machine TEXT NOT NULL, figures TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "runs" VALUES('0a1b2c3d','bench','2026-11-24T10:00:00+00:00','/bundles/gemma','gemma','abababababab','int4','window','CPU','0.2.0','host','{"decode_tokens_per_s": 42.0, "ttft_ms": 10.5}');
CREATE TABLE steps(run TEXT NOT NULL REFERENCES runs(id) ON DELETE CASCADE, step INTEGER NOT NULL,
        phase TEXT NOT NULL, latency_ms REAL NOT NULL, used INTEGER NOT NULL, capacity INTEGER NOT NULL,
        PRIMARY KEY(run, step)) WITHOUT ROWID;
INSERT INTO "steps" VALUES('0a1b2c3d',0,'prefill',9.0,8,512);
INSERT INTO "steps" VALUES('0a1b2c3d',1,'decode',2.0,9,512);
CREATE INDEX runs_time ON runs(time);
COMMIT;
PRAGMA user_version = 1;
