import { randomUUID } from 'node:crypto';
import type { EventEnvelope, EventName } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { findInTables, publishEvents, waitUntil } from '@crm/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KEEP_EVENT } from '../src/run/run-queue.repository.js';
import { newEvent, record, task, useAutomations, wait } from './automations-service.js';

const { world, service, tenant } = useAutomations();

describe('runs of an erased record', () => {
  let recordId: string;
  let marker: string;
  beforeEach(() => {
    recordId = newId();
    marker = `marker-${randomUUID()}`;
  });

  const eventOf = (name: EventName, data: object): EventEnvelope => ({
    ...newEvent(name, tenant.tenantId, { record: { id: recordId, ...data } }),
    subject: recordId,
  });
  const erasure = (): EventEnvelope => ({
    ...eventOf('lead.deleted', {}),
    data: { record: { id: recordId }, erased: true },
  });
  const found = () => findInTables(world.adminUrl, marker);
  const runsOf = (workflowId: string, count = 1) =>
    waitUntil(async () => (await tenant.runs(`workflowId=${workflowId}`)).length === count, {
      describe: `the workflow has ${count} runs`,
    }).then(() => tenant.runs(`workflowId=${workflowId}`));

  it('lose their inputs and outputs, those that have not ended are cancelled, and only the erasure starts another', async () => {
    const waiting = await tenant.onEvent('lead.updated', { actions: [task('{{lastName}}'), wait(3_600), task()] });
    const ended = await tenant.onEvent('lead.created', { actions: [task('{{lastName}}')] });
    const atErasure = await tenant.onEvent('lead.deleted', { actions: [task('Gone: {{record.id}} {{lastName}}')] });
    world.customObjects.create = (request) => ({ id: newId(), ...request.values });
    await publishEvents(eventOf('lead.created', { lastName: marker }), eventOf('lead.updated', { lastName: marker }));
    const [first] = await runsOf(ended.id);
    await tenant.ended(first?.id ?? '');
    await runsOf(waiting.id);
    await waitUntil(async () => (await tenant.created()).length === 2, { describe: 'both have made a task' });
    const kept = eventOf('lead.updated', { lastName: marker });
    await service
      .get(Database)
      .transaction(tenant.tenantId, (tx) =>
        tx.query(KEEP_EVENT, [tenant.tenantId, kept.id, JSON.stringify({ ...kept, type: 'lead.restored' })]),
      );
    expect(Object.keys(await found()).length).toBeGreaterThan(1);

    await publishEvents(erasure());
    const [last] = await runsOf(atErasure.id);
    expect(await tenant.ended(last?.id ?? '')).toMatchObject({ status: 'succeeded' });
    expect(tenant.createdNames()).toContain(`Gone: ${recordId} `);
    await waitUntil(async () => Object.keys(await found()).length === 0, { describe: 'nothing is left' });
    expect(await runsOf(waiting.id)).toMatchObject([{ status: 'cancelled', error: { code: 'RECORD_ERASED' } }]);
    expect(await runsOf(ended.id)).toMatchObject([{ status: 'succeeded' }]);

    await publishEvents(eventOf('lead.updated', { lastName: marker }), erasure());
    await publishEvents({ ...eventOf('lead.updated', { lastName: 'other' }), subject: newId() });
    await runsOf(waiting.id, 2);
    expect(await found()).toEqual({});
    expect(await runsOf(atErasure.id)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('lose what an upstream system sent by a hook, when the record was made of it', async () => {
    world.customObjects.create = () => ({ id: recordId, lastName: marker });
    expect(await tenant.runOf([record('lead', { lastName: '{{name}}' })], { name: marker })).toMatchObject({
      status: 'succeeded',
    });
    expect(Object.keys(await found())).toHaveLength(2);
    await publishEvents(erasure());
    await waitUntil(async () => Object.keys(await found()).length === 0, { describe: 'nothing is left' });
  });
});
