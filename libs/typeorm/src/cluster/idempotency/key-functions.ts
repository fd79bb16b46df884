/** Answers survive a crash, so that no trigger is performed twice. */
export const keyTables = [
  `CREATE TABLE IF NOT EXISTS rookery_idempotency_keys (
     app_id text COLLATE "C", key text COLLATE "C", print text NOT NULL, claim_id text NOT NULL, answer text,
     claimed_at bigint NOT NULL, expires_at bigint NOT NULL, PRIMARY KEY (app_id, key)) WITH (fillfactor = 70)`,
  'CREATE INDEX IF NOT EXISTS idx_rookery_idempotency_keys_by_end ON rookery_idempotency_keys (expires_at)',
  'CREATE INDEX IF NOT EXISTS idx_rookery_idempotency_keys_by_claim ON rookery_idempotency_keys (app_id, claimed_at)',
];

export const keyFunctions = [
  // Claims a free key. Returns what is known of the key and who has claimed it.
  `CREATE OR REPLACE FUNCTION rookery_claim_key(_app text, _key text, _print text, _claim text, _ms bigint,
     OUT print text, OUT claim_id text, OUT answer text) LANGUAGE plpgsql AS $$
   DECLARE
     now_ms bigint := rookery_clock() / 1000;
   BEGIN
     INSERT INTO rookery_idempotency_keys AS k VALUES (_app, _key, _print, _claim, NULL, now_ms, now_ms + _ms)
     ON CONFLICT (app_id, key) DO UPDATE SET print = excluded.print, claim_id = excluded.claim_id, answer = NULL,
       claimed_at = excluded.claimed_at, expires_at = excluded.expires_at WHERE k.expires_at <= now_ms
     RETURNING k.print, k.claim_id INTO print, claim_id;
     IF NOT FOUND THEN
       SELECT k.print, k.claim_id, k.answer INTO print, claim_id, answer FROM rookery_idempotency_keys k
       WHERE k.app_id = _app AND k.key = _key;
     END IF;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_answer_key(_app text, _key text, _print text, _claim text, _ms bigint, _answer text)
   RETURNS void LANGUAGE sql AS $$
     INSERT INTO rookery_idempotency_keys AS k
     VALUES (_app, _key, _print, _claim, _answer, rookery_clock() / 1000, rookery_clock() / 1000 + _ms)
     ON CONFLICT (app_id, key) DO UPDATE SET answer = excluded.answer, expires_at = excluded.expires_at
     WHERE k.claim_id = excluded.claim_id
   $$`,
];
