-- The privileges that the service needs while it runs. It changes no table, and deletes no account, key or event.
-- Run it after each `latchkey migrate`, as a superuser or as the role that migrates.
GRANT USAGE ON SCHEMA public TO latchkey_service;
GRANT SELECT ON migrations, decoy_key, told_notices TO latchkey_service;
GRANT SELECT, INSERT, UPDATE ON accounts, api_keys, notice_sequences, key_notices TO latchkey_service;
-- UPDATE on sessions is for row locks only.
GRANT SELECT, INSERT, UPDATE, DELETE ON sessions, spent_sign_ins, idle_notices TO latchkey_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON password_guesses, outbox, leak_reports, leak_report_budgets TO latchkey_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON api_key_usage, api_key_addresses, api_key_denials, api_key_days, api_key_networks,
  api_key_permissions
  TO latchkey_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON instances TO latchkey_service;
GRANT SELECT, INSERT ON audit_events, audit_seals, audit_prunings TO latchkey_service;
-- AUDIT_RETENTION_DAYS needs one more: docs/audit.md, "Retention".
