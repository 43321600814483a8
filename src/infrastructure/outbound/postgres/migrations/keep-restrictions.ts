/** The function of the trigger `api_keys_keep_restrictions`. @param isWider compares NEW with the key that it replaces */
export function keepRestrictions(isWider: string): string {
  return `
    CREATE OR REPLACE FUNCTION keep_restrictions() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF EXISTS (SELECT FROM api_keys replaced WHERE replaced.id = NEW.replaces AND (${isWider})) THEN
        RAISE EXCEPTION 'a successor has the permissions and networks of the key that it replaces, or fewer'
          USING ERRCODE = 'check_violation', CONSTRAINT = 'api_keys_keep_restrictions';
      END IF;
      RETURN NEW;
    END $$`;
}

export const DIFFERS = `(replaced.permissions, replaced.allowed_networks) IS DISTINCT FROM (NEW.permissions, NEW.allowed_networks)`;
