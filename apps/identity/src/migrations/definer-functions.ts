import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';

// Two global tables are written in the same transaction as tenant rows: a user and the e-mail that signs in as them, an
// ended session and its cut-off. The runtime role cannot reach the tables; it may call these functions, which run as the
// owner (through a policy of its own, because row-level security is forced on owners too) and do one thing each.

/** Lets the owner, and so the functions it defines, past the forced row-level security of a global table. */
async function admitOwner(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`CREATE POLICY ${table}_definer ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true)`);
}

async function executableBy(runner: QueryRunner, role: string, signature: string): Promise<void> {
  await runner.query(`REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`);
  await runner.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${role}`);
}

/**
 * `claim_sign_in_email(email, user)` reserves an address for a user of the tenant in context. It answers `claimed`,
 * `same_tenant` with the holder, or `other_tenant` without: a tenant never learns who else has the address.
 */
export async function createEmailClaimFunction(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await admitOwner(runner, 'sign_in_email');
  await runner.query(`
    CREATE FUNCTION claim_sign_in_email(p_email text, p_user uuid) RETURNS TABLE (outcome text, holder uuid)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
      current_tenant uuid := NULLIF(current_setting('app.tenant_id', true), '')::uuid;
    BEGIN
      IF current_tenant IS NULL THEN
        RAISE EXCEPTION 'an e-mail address is claimed within a tenant';
      END IF;
      INSERT INTO public.sign_in_email AS s (email, tenant_id, user_id) VALUES (p_email, current_tenant, p_user)
        ON CONFLICT (email) DO NOTHING;
      RETURN QUERY
        SELECT CASE WHEN s.tenant_id <> current_tenant THEN 'other_tenant'
                    WHEN s.user_id = p_user THEN 'claimed'
                    ELSE 'same_tenant' END,
               CASE WHEN s.tenant_id = current_tenant THEN s.user_id END
        FROM public.sign_in_email s WHERE s.email = p_email;
    END $$`);
  await executableBy(runner, roles.runtimeRole, 'claim_sign_in_email(text, uuid)');
}

/** `is_email_elsewhere(email)`: whether the address belongs to a tenant other than the one in context. */
export async function createEmailElsewhereFunction(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await runner.query(`
    CREATE FUNCTION is_email_elsewhere(p_email text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
      SELECT EXISTS (
        SELECT 1 FROM public.sign_in_email s
        WHERE s.email = p_email AND s.tenant_id <> NULLIF(current_setting('app.tenant_id', true), '')::uuid)
    $$`);
  await executableBy(runner, roles.runtimeRole, 'is_email_elsewhere(text)');
}

/** `record_cutoff(kind, id, ms, expiry)` keeps the later of two cut-offs and marks it as not yet published. */
export async function createCutoffFunction(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await admitOwner(runner, 'revocation_cutoff');
  await runner.query(`
    CREATE FUNCTION record_cutoff(p_kind text, p_id text, p_cutoff_ms bigint, p_expires_at timestamptz) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
      INSERT INTO public.revocation_cutoff AS c (kind, id, cutoff_ms, expires_at)
      VALUES (p_kind, p_id, p_cutoff_ms, p_expires_at)
      ON CONFLICT (kind, id) DO UPDATE SET
        cutoff_ms = GREATEST(c.cutoff_ms, EXCLUDED.cutoff_ms),
        expires_at = GREATEST(c.expires_at, EXCLUDED.expires_at),
        published = false
    $$`);
  const signature = 'record_cutoff(text, text, bigint, timestamptz)';
  await executableBy(runner, roles.runtimeRole, signature);
}
