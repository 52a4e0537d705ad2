import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DATABASES, SERVICES, type StatefulService } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../scripts/demo/client.mjs';
import { walkJourney } from '../scripts/demo/journey.mjs';
import { startDemoReceiver } from '../scripts/demo/receiver.mjs';
import { api, newUser, newWorkspace } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';
import { TABLES } from './platform/tables.js';

/** A change that the owner of the resource could make. */
const changeOf = (path: string): object => {
  if (path.includes('/records/')) return { title: 'Changed' };
  return path.includes('/leads/') ? { lastName: 'Changed' } : { enabled: false };
};

describe('the journey', () => {
  let receiver: Awaited<ReturnType<typeof startDemoReceiver>>;
  let journey: Awaited<ReturnType<typeof walkJourney>>;
  const steps: string[] = [];
  beforeAll(async () => {
    receiver = await startDemoReceiver(addresses.demoReceiver);
    journey = await walkJourney(addresses, receiver, {
      step: (number: number, title: string) => steps.push(`${number}. ${title}`),
      show: () => undefined,
    });
  });
  afterAll(() => receiver?.close());

  it('leads through all eight steps', () => {
    expect(steps.map((step) => step.slice(0, 2))).toEqual(['1.', '2.', '3.', '4.', '5.', '6.', '7.', '8.']);
  });

  describe('answers as the specification says', () => {
    const answer = () => journey.answers;

    it('step 2: the example passes certification and is in review', () => {
      expect(answer().certification.body.passed).toBe(true);
      expect(answer().submission.body).toMatchObject({ accepted: true, versionStatus: 'in_review' });
      const keys = answer().own.body.data.map((app: { key: string }) => app.key);
      expect(keys).toEqual([journey.appKey]);
    });

    it('step 2: a broken package is refused for its scope, its private target and its unknown key', () => {
      const { accepted, certification } = answer().refused.body;
      const failing = certification.checks.filter(
        ({ status, severity }: { status: string; severity: string }) => status === 'fail' && severity === 'blocker',
      );
      expect(accepted).toBe(false);
      // Its webhook needs a scope, and the unknown one does not count.
      expect(failing.map(({ id }: { id: string }) => id)).toEqual(['MAN-001', 'NET-001', 'SCP-001', 'SCP-005']);
    });

    it('step 2: the page of each check opens at the address that its finding names', async () => {
      const pages = answer().refused.body.certification.checks.map(async ({ id, docUrl }: Record<string, string>) => {
        const page = await fetch(docUrl ?? '');
        return [page.status, (await page.text()).includes(`<h1>${id} `)];
      });
      expect(new Set((await Promise.all(pages)).map(String))).toEqual(new Set(['200,true']));
    });

    it('step 3: the submission waits in the queue of the operators', () => {
      const ids = answer().queue.body.data.map((row: { id: string }) => row.id);
      expect(ids).toContain(answer().submission.body.submissionId);
    });

    it('step 4: the objects of a sandbox have names of their own', () => {
      const names: string[] = answer().sandbox.body.objects.map((object: { apiName: string }) => object.apiName);
      expect(names).toEqual([expect.stringMatching(/^sbx_/)]);
      expect(answer().install.body.objects).toEqual([{ apiName: 'site_visit', declaredApiName: 'site_visit' }]);
    });

    it('step 4: an app that exceeds the plan leaves nothing behind', () => {
      expect(answer().overLimit.body.code).toBe('OBJECT_LIMIT_EXCEEDED');
      const names = (objects: { apiName: string }[]) => objects.map(({ apiName }) => apiName).sort();
      expect(names(answer().objects.body.data)).toEqual(names(answer().install.body.objects));
    });

    it('step 5: a formula is computed, and a member neither reads nor writes protected fields', () => {
      expect(answer().record.body.total).toBe(240);
      expect(answer().read.body).toMatchObject({ title: 'Roof of the town hall', hours: 3 });
      expect(Object.keys(answer().read.body)).not.toContain('hourly_rate');
      expect(Object.keys(answer().read.body)).not.toContain('total');
      expect(answer().denied.body.code).toBe('FIELD_ACCESS_DENIED');
      expect(answer().list.body.total).toBe(1);
    });

    it('step 6: the event of the lead is delivered with a valid signature', () => {
      // The journey ends when the receiver cannot verify the signature.
      const { event, leadId } = journey.delivered;
      expect(event).toMatchObject({ type: 'lead.created', data: { id: leadId } });
    });

    it('step 7: the run of an inbound hook succeeds and creates a record', () => {
      expect(answer().accepted.body).toMatchObject({ accepted: true, runId: journey.run.id });
      expect(journey.run.status).toBe('succeeded');
      expect(answer().made.body).toMatchObject({ data: [{ title: 'Leaking pipe', hours: 2 }], total: 1 });
    });

    it('step 7: a wrong secret cannot be distinguished from a wrong id', () => {
      expect(answer().wrongSecret.body).toEqual(answer().wrongId.body);
    });

    it('step 8: an embed token lives 15 minutes and reads the records of the app', () => {
      expect(answer().minted.body.expires_in).toBe(900);
      // The sandbox of the developer, in which nobody has made a record.
      expect(answer().embedded.body).toMatchObject({ data: [], total: 0 });
    });
  });

  it('leaves resources that their own tenant finds', async () => {
    for (const path of journey.resources) {
      expect([path, (await api('GET', path, { token: journey.tenantAdmin })).status]).toEqual([path, 200]);
    }
  });

  it('leaves an audit trail with the installation and who asked for it, and with no secret', async () => {
    const token = journey.tenantAdmin;
    const entries = async () => (await api('GET', '/api/admin/audit?size=200', { token, expect: 200 })).body.data;
    const installed = await eventually(
      async () => (await entries()).find(({ action }: { action: string }) => action === 'app.installed'),
      'The entry of the installation',
    );
    const { body: me } = await api('GET', '/api/auth/me', { token });
    expect(installed).toMatchObject({ actor: { kind: 'user', id: me.id }, detail: { appKey: journey.appKey } });
    const day = 86_400_000;
    const [from, to] = [new Date(Date.now() - day), new Date(Date.now() + day)].map((time) => time.toISOString());
    const url = `${addresses.baseUrl}/api/admin/audit/export?format=csv&from=${from}&to=${to}`;
    const csv = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
    expect(csv.trimEnd().split('\r\n').length).toBeGreaterThan((await entries()).length);
    for (const secret of journey.secrets) expect(csv).not.toContain(secret);
  });

  describe('of one tenant', () => {
    it('does not exist for another: every resource is 404, whatever the method', async () => {
      const stranger = await newWorkspace('enterprise');
      // The stranger has the app too, so that its objects have the same names.
      await api('POST', '/api/marketplace/installs', {
        token: stranger.token,
        body: { appKey: journey.appKey },
        expect: 201,
      });
      for (const path of journey.resources) {
        const read = await api('GET', path, { token: stranger.token });
        expect([path, read.status, read.body.code]).toEqual([path, 404, 'NOT_FOUND']);
        const changed = await api('PATCH', path, { token: stranger.token, body: changeOf(path) });
        const deleted = await api('DELETE', path, { token: stranger.token });
        // 405 where nobody may, no matter who asks.
        for (const { status } of [changed, deleted]) expect([404, 405]).toContain(status);
      }
      for (const path of journey.resources) {
        expect([path, (await api('GET', path, { token: journey.tenantAdmin })).status]).toEqual([path, 200]);
      }
    });

    it('is not listed for another', async () => {
      const stranger = await newWorkspace();
      const ids = journey.resources.map((path) => path.split('/').at(-1) as string);
      const lists = [
        '/api/crm/leads',
        '/api/crm/tasks',
        '/api/crm/custom',
        '/api/marketplace/installs',
        '/api/webhooks/subscriptions',
        '/api/webhooks/deliveries',
        '/api/crm/automations/workflows',
        '/api/crm/automations/runs',
        '/api/tenant/users',
        '/api/admin/audit',
      ];
      for (const path of lists) {
        const { body } = await api('GET', path, { token: stranger.token, expect: 200 });
        for (const id of ids) expect(JSON.stringify(body)).not.toContain(id);
      }
    });
  });

  it('writes no password, token or secret into a log', async () => {
    const folder = path.join(addresses.dataDir, 'logs');
    const names = await readdir(folder);
    expect(names).toEqual(expect.arrayContaining(SERVICES.map((service) => `${service}.log`)));
    for (const name of names) {
      const text = await readFile(path.join(folder, name), 'utf8');
      const found = journey.secrets.filter((secret) => text.includes(secret));
      expect([name, found]).toEqual([name, []]);
    }
  });

  it('keeps no password, token or secret readable in a database', async () => {
    for (const service of Object.keys(DATABASES) as StatefulService[]) {
      const { database } = DATABASES[service];
      const url = new URL(addresses.databaseUrl);
      url.pathname = `/${database}`;
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      try {
        const { rows: tables } = await client.query<{ name: string }>(
          `SELECT relname AS name FROM pg_class
           WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`,
        );
        const expected = [...TABLES[service].split(' '), 'migrations'].sort();
        expect(tables.map(({ name }) => name).sort()).toEqual(expected);
        for (const { name } of tables) {
          const { rows } = await client.query<{ text: string }>(
            `SELECT coalesce(string_agg(t::text, E'\\n'), '') AS text FROM "${name}" t`,
          );
          const text = rows[0]?.text ?? '';
          const found = journey.secrets.filter(
            (secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')),
          );
          expect([database, name, found]).toEqual([database, name, []]);
        }
      } finally {
        await client.end();
      }
    }
  });

  it('gives a viewer what may be read and no more', async () => {
    const owner = await newWorkspace();
    const viewer = await newUser(owner, 'viewer');
    expect((await api('GET', '/api/crm/leads', { token: viewer.token })).status).toBe(200);
    const write = await api('POST', '/api/crm/leads', { token: viewer.token, body: { lastName: 'x' } });
    expect([write.status, write.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await api('GET', '/api/webhooks/subscriptions', { token: viewer.token })).status).toBe(403);
  });
});
