import { Database, newId } from '@crm/database';
import { RevocationPublisher } from '@crm/messaging';
import { waitUntil } from '@crm/testing';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { ExpiredRowSweeper } from '../src/personal-data/expired-row.sweeper.js';
import { PLATFORM_TENANT } from '../src/platform-tenant.js';
import { LastingCutoffSweeper } from '../src/sessions/lasting-cutoff.sweeper.js';
import { RevocationService } from '../src/sessions/revocation.service.js';
import { RevocationSweeper } from '../src/sessions/revocation.sweeper.js';
import { auditOf } from './audit.js';
import { type Account, withMail } from './identity.js';
import { isHeldUp, TestSuspensions, waitsForAdministrator } from './suspended.js';

const { identity, mailServer } = withMail();
const suspensions = TestSuspensions.ofFile(identity);
afterEach(() => {
  jest.restoreAllMocks();
  mailServer.mails.length = 0;
});

/** The recipients of mail, now that all that was queued is sent. */
async function told({ tenantId }: Pick<Account, 'tenantId'>): Promise<string[]> {
  const mails = () => identity.query(tenantId, 'SELECT 1 FROM mail');
  await waitUntil(async () => (await mails()).length === 0, { timeoutMs: 20_000, describe: 'all mail is sent' });
  return mailServer.mails.map(({ to }) => to).sort();
}

describe('a suspended workspace', () => {
  it('has its administrators told why, and what that means; again when it is reinstated', async () => {
    const owner = await identity.account({ name: 'Globex' });
    const [admin, disabled] = [await identity.member(owner, ['admin']), await identity.member(owner, ['admin'])];
    await identity.member(owner, ['member']);
    expect((await identity.changeUser(owner, disabled.userId, { status: 'disabled' })).status).toBe(200);

    await suspensions.decide('suspend', owner.tenantId, 'It sends spam. Write to us.');
    expect(await told(owner)).toEqual([owner.email, admin.email].sort());
    const suspended = (await mailServer.mailTo(owner.email)).text;
    expect(suspended).toContain('Subject: The workspace Globex was suspended');
    expect(suspended).toContain('The reason given:\r\n\r\n  It sends spam. Write to us.\r\n');
    expect(suspended).toContain('Nobody can sign in to it');
    expect(suspended).toContain('Nothing is deleted');

    mailServer.mails.length = 0;
    await suspensions.decide('reinstate', owner.tenantId, 'It was a mistake');
    expect(await told(owner)).toEqual([owner.email, admin.email].sort());
    const reinstated = (await mailServer.mailTo(admin.email)).text;
    expect(reinstated).toContain('Subject: The workspace Globex was reinstated');
    expect(reinstated).toContain('  It was a mistake\r\n');
    expect(reinstated).toContain('http://127.0.0.1:8080/account/sign-in');
    expect(reinstated).toContain('GET http://127.0.0.1:8080/api/admin/audit?action=workspace.reinstated');
  });

  it('is told once, however often and by however many it is decided', async () => {
    const owner = await identity.account();
    await Promise.all(Array.from({ length: 5 }, () => suspensions.decide('suspend', owner.tenantId)));
    await suspensions.decide('suspend', owner.tenantId, 'Once more');
    expect(await told(owner)).toEqual([owner.email]);
    await Promise.all(Array.from({ length: 5 }, () => suspensions.decide('reinstate', owner.tenantId)));
    expect(await told(owner)).toEqual([owner.email, owner.email]);
  });

  it('is suspended, and told, while one of its administrators is being changed', async () => {
    const owner = await identity.account();
    const decisions: Promise<unknown>[] = [];
    await identity.get(Database).transaction(owner.tenantId, async (tx) => {
      // Every change of a user that ends sessions locks in this order: first the user, then the sessions.
      await tx.query('SELECT 1 FROM app_user WHERE id = $1 FOR UPDATE', [owner.userId]);
      decisions.push(suspensions.decide('suspend', owner.tenantId));
      await waitsForAdministrator(identity);
      await tx.query('DELETE FROM session WHERE user_id = $1', [owner.userId]);
    });
    expect(await Promise.all(decisions)).toMatchObject([{ state: 'suspended' }]);
    expect(await told(owner)).toEqual([owner.email]);
  });

  it('is told nothing by a decision that is refused', async () => {
    const owner = await identity.account();
    await expect(suspensions.decide('suspend', owner.tenantId, ' ')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await identity.query(owner.tenantId, 'UPDATE tenant SET closed_at = now()');
    await expect(suspensions.decide('suspend', owner.tenantId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await told(owner)).toEqual([]);
  });

  it('whose address nobody has verified is told nothing: it may be that of a stranger', async () => {
    const owner = await identity.account();
    await identity.query(owner.tenantId, 'UPDATE tenant SET verified_at = NULL');
    await suspensions.decide('suspend', owner.tenantId);
    expect(await told(owner)).toEqual([]);
  });

  it('puts no line, link or hidden character into the mail, by its name or in the reason', async () => {
    const owner = await identity.account({ name: 'Globex\nBcc: victim@evil.example \u202Ehttps://evil.example' });
    const reason = `Spam.\r\n\r\nSign in at https://evil.example/now \u202E${'y'.repeat(1900)}`;
    await suspensions.decide('suspend', owner.tenantId, reason);
    expect(await told(owner)).toEqual([owner.email]);
    const { text } = await mailServer.mailTo(owner.email);
    expect(text.split('\r\n').filter((line) => /^bcc:/i.test(line))).toEqual([]);
    const body = text.slice(text.indexOf('\r\n\r\n'));
    expect(body).toMatch(/\r\n {2}Spam. Sign in at https evil example now y+ …\r\n/);
    expect(body).toContain('the workspace Globex Bcc victim evil example https evil example, which');
    expect(body).not.toMatch(/https?:|evil\.example|@|\u202E/);
  });
});

const REASON = 'It sends spam';

const workspace = async () => (await identity.account({ name: 'Globex' })).tenantId;
const publishing = () => jest.spyOn(identity.get(RevocationPublisher), 'publish');
const publishedBy = ({ mock }: ReturnType<typeof publishing>) => mock.calls.map(([{ kind, id }]) => `${kind} ${id}`);
const decided = (id: string) => ({ id, reason: REASON });
const cutoffs = (tenantId: string) =>
  identity.queryAll<{ kind: string; lasts: boolean }>(
    `SELECT kind, expires_at = 'infinity' AS lasts FROM revocation_cutoff WHERE id = $1 ORDER BY kind`,
    [tenantId],
  );

describe('who decides about a workspace', () => {
  it('has proven who they are a short while ago, and gives a reason', async () => {
    const { operators } = suspensions;
    const tenantId = await workspace();
    const { accessToken: stale } = await operators.newlySignedIn();
    const sql = "UPDATE session SET proven_at = now() - interval '601 seconds' WHERE id = $1";
    await identity.query(PLATFORM_TENANT, sql, [decodeJwt(stale).sid]);
    for (const decision of ['suspend', 'reinstate'] as const) {
      expect(await operators.refusal(decision, decided(tenantId), stale)).toBe('STEP_UP_REQUIRED');
      const withoutReason = suspensions.decide(decision, tenantId, ' \n');
      await expect(withoutReason).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    }
    expect(suspensions.watch.isSuspended(tenantId)).toBe(false);
    expect(await suspensions.entries(tenantId)).toEqual([]);
  });

  it('is never an operator who is linked to it, whatever the spelling of its id', async () => {
    const { operators } = suspensions;
    const tenantId = await workspace();
    const { accessToken: linked } = await operators.newlySignedIn('administrator', tenantId);
    for (const id of [tenantId, tenantId.toUpperCase()]) {
      expect(await operators.refusal('suspend', decided(id), linked)).toBe('OWN_WORKSPACE');
    }
    await suspensions.suspend(tenantId);
    expect(await operators.refusal('reinstate', decided(tenantId), linked)).toBe('OWN_WORKSPACE');
    expect(suspensions.watch.isSuspended(tenantId)).toBe(true);
  });

  it('decides on workspaces that exist, and never on the platform itself', async () => {
    const closed = await workspace();
    await identity.query(closed, 'UPDATE tenant SET closed_at = now()');
    for (const tenantId of [newId(), PLATFORM_TENANT, closed]) {
      await expect(suspensions.decide('suspend', tenantId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('a decision about a workspace', () => {
  it('is in the trail of the operators and in that of the workspace, once', async () => {
    const owner = await identity.account({ name: 'Globex' });
    const { tenantId } = owner;
    const first = await suspensions.suspend(tenantId);
    const view = { id: tenantId, name: 'Globex', reason: REASON };
    expect(first).toEqual({ ...view, state: 'suspended', suspendedAt: expect.any(String) });
    // The second one changes nothing: neither since when nor why.
    expect(await suspensions.suspend(tenantId, 'Another reason')).toEqual(first);
    const active = { ...view, state: 'active', suspendedAt: null, reason: null };
    for (const _ of [1, 2]) expect(await suspensions.reinstate(tenantId)).toEqual(active);
    expect(await suspensions.entries(tenantId)).toMatchObject([
      {
        act: 'tenant.reinstate',
        role: 'administrator',
        reason: 'It was a mistake',
        before: { state: 'suspended' },
        after: { state: 'active' },
      },
      {
        act: 'tenant.suspend',
        subjectName: 'Globex',
        reason: REASON,
        findings: { sessions: 1, grants: 0 },
        before: { state: 'active' },
        after: { state: 'suspended' },
      },
    ]);
    const again = await identity.signedIn(owner.email);
    const actor = { kind: 'operator', id: expect.any(String) };
    const subject = { kind: 'workspace', id: tenantId };
    for (const [action, reason] of [
      ['workspace.suspended', REASON],
      ['workspace.reinstated', 'It was a mistake'],
    ]) {
      const entries = await auditOf(identity, again, `&action=${action}`);
      expect(entries).toMatchObject([{ actor, subject, detail: { reason } }]);
    }
  });

  it('counts by its turn, also when the clock goes back', async () => {
    const tenantId = await workspace();
    await suspensions.suspend(tenantId);
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now - 60_000);
    for (const decision of ['reinstate', 'suspend', 'reinstate', 'suspend'] as const) {
      await suspensions.decide(decision, tenantId);
    }
    jest.restoreAllMocks();
    await suspensions.settles(tenantId, true);
    expect((await suspensions.lateVerifier()).isSuspended(tenantId)).toBe(true);
  });

  it('made at the same time as others leaves every verifier with what is stored', async () => {
    const tenantId = await workspace();
    const decisions = Array.from({ length: 12 }, (_, index) =>
      suspensions.decide(index % 2 === 0 ? 'suspend' : 'reinstate', tenantId),
    );
    await Promise.all(decisions);
    const { data } = await suspensions.list({ size: 200 });
    const isSuspended = data.some(({ id }) => id === tenantId);
    await suspensions.settles(tenantId, isSuspended);
    expect((await suspensions.lateVerifier()).isSuspended(tenantId)).toBe(isSuspended);
    // One entry for each that changed something, in turn.
    const acts = (await suspensions.entries(tenantId)).map(({ act }) => act).reverse();
    expect(acts).toEqual(acts.map((_, index) => (index % 2 === 0 ? 'tenant.suspend' : 'tenant.reinstate')));
    expect(acts.length % 2 === 1).toBe(isSuspended);
  });
});

describe('a decision that could not be published, or not be made', () => {
  /** The process dies, or loses the broker, between the commit and the publication. */
  const withoutPublication = async (work: () => Promise<unknown>) => {
    const publish = publishing().mockRejectedValue(new Error('no broker'));
    await work();
    publish.mockRestore();
  };

  it('is published by the next sweep', async () => {
    const tenantId = await workspace();
    await withoutPublication(() => suspensions.decide('suspend', tenantId));
    await identity.get(RevocationSweeper).sweep();
    await suspensions.settles(tenantId, true);
  });

  it('does not outdo the decision that came after it', async () => {
    const [lifted, kept] = [await identity.account(), await identity.account()];
    await withoutPublication(async () => {
      await suspensions.decide('suspend', lifted.tenantId);
      await suspensions.decide('reinstate', lifted.tenantId);
      for (const decision of ['suspend', 'reinstate', 'suspend'] as const) {
        await suspensions.decide(decision, kept.tenantId);
      }
    });
    await identity.get(RevocationSweeper).sweep();
    await suspensions.settles(kept.tenantId, true);
    expect(suspensions.watch.isSuspended(lifted.tenantId)).toBe(false);
    const late = await suspensions.lateVerifier();
    expect([late.isSuspended(lifted.tenantId), late.isSuspended(kept.tenantId)]).toEqual([false, true]);
    // Reinstated, it still has no token from before.
    expect((await identity.send('GET', '/api/auth/me', lifted)).status).toBe(401);
    expect((await identity.login(lifted.email)).status).toBe(200);
  });

  it('in time does not come after the one that is made next', async () => {
    const tenantId = await workspace();
    const now = performance.now.bind(performance);
    let late: Promise<void> | undefined;
    await identity.get(Database).transaction(tenantId, async (tx) => {
      // Decisions wait for the row of the workspace, here for longer than the caller does.
      await tx.query('SELECT 1 FROM tenant FOR UPDATE');
      late = expect(suspensions.decide('suspend', tenantId)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      await isHeldUp(identity, 'FOR UPDATE');
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
    });
    await late;
    expect(await suspensions.decide('reinstate', tenantId)).toMatchObject({ state: 'active' });
    expect(await suspensions.entries(tenantId)).toEqual([]);
    await suspensions.settles(tenantId, false);
    expect((await suspensions.lateVerifier()).isSuspended(tenantId)).toBe(false);
  });
});

describe('a suspension', () => {
  it('lasts until it is lifted, however long that takes', async () => {
    const [suspended, lifted] = [await workspace(), await workspace()];
    await suspensions.suspend(suspended);
    await suspensions.suspend(lifted);
    await suspensions.reinstate(lifted);
    await identity.get(ExpiredRowSweeper).sweep();
    expect(await cutoffs(suspended)).toEqual([
      { kind: 'suspension', lasts: true },
      { kind: 'tenant', lasts: false },
    ]);
    expect(await cutoffs(lifted)).toEqual([
      { kind: 'reinstatement', lasts: false },
      { kind: 'tenant', lasts: false },
    ]);
    // The bucket forgets after a day.
    const publish = publishing();
    await identity.get(LastingCutoffSweeper).sweep();
    const published = publishedBy(publish);
    expect(published).toEqual(expect.arrayContaining([`suspension ${suspended}`, `reinstatement ${lifted}`]));
    expect(published).not.toContain(`suspension ${lifted}`);
    expect(published.filter((entry) => /^tenant/.test(entry))).toEqual([]);
  });

  it('that was lifted while no process ran does not come back with the next one', async () => {
    const tenantId = await workspace();
    await suspensions.suspend(tenantId);
    await suspensions.reinstate(tenantId);
    const publish = publishing();
    await identity.get(RevocationService).onApplicationBootstrap();
    const published = publishedBy(publish);
    expect(published).toContain(`reinstatement ${tenantId}`);
    expect(published).not.toContain(`suspension ${tenantId}`);
  });
});

describe('the list of suspended workspaces', () => {
  it('has them, the last suspended first, page by page', async () => {
    const ids = [await workspace(), await workspace(), await workspace()];
    for (const id of ids) await suspensions.suspend(id);
    const lifted = ids.splice(1, 1)[0] as string;
    await suspensions.reinstate(lifted);
    const all = await suspensions.list({ size: 200 });
    expect(all.data.slice(0, 2).map(({ id }) => id)).toEqual([...ids].reverse());
    expect(all.data.map(({ id }) => id)).not.toContain(lifted);
    expect(all.total).toBe(all.data.length);
    expect(all.data[0]).toMatchObject({ name: 'Globex', state: 'suspended', reason: REASON });
    const read: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await suspensions.list({ size: 1, ...(cursor !== undefined && { cursor }) });
      read.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(read).toEqual(all.data.map(({ id }) => id));
    await expect(suspensions.list({ cursor: 'bm90IGEgY3Vyc29y' })).rejects.toMatchObject({ code: 'INVALID_QUERY' });
  });
});
