import type { PlatformError } from '@crm/contracts';
import { OutsideClient } from '@crm/egress';
import { certify } from '@crm/manifest';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readDefinition } from './workflow-validation.js';

const task = { type: 'create_task', title: 'Call {{name}}' };
const policy = new OutsideClient();
afterAll(() => policy.close());
const hook = { type: 'webhook_received' };
const record = (object: string, values: object) => ({ type: 'create_record', object, values });
/** By a call with an amount of this type. */
const calledWith = (type: string) => ({ ...hook, payload: [{ name: 'amount', type }] });

/** Pointers and codes of the mistakes; empty for a correct definition. */
function problemsOf(input: object): string[] {
  try {
    readDefinition(input, policy);
    return [];
  } catch (error) {
    expect((error as PlatformError).code).toBe('WORKFLOW_INVALID');
    return ((error as PlatformError).extra.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('the definition of a workflow', () => {
  it('is accepted unchanged when it is correct', () => {
    const definition = {
      trigger: calledWith('number'),
      condition: 'amount > 10 && kind == "visit"',
      actions: [
        { key: 'lead', type: 'create_record', object: 'lead', values: { lastName: '{{name}}', tags: ['{{tag}}'] } },
        { type: 'update_record', object: 'custom:visit', id: '{{lead.id}}', values: {} },
        { ...task, description: 'x', dueInDays: 2, assignee: '0190a000-0000-7000-8000-0000000000aa' },
        { type: 'wait', seconds: 60 },
        {
          type: 'http_request',
          url: 'https://api.example.org/visits/{{lead.id}}?name={{name}}',
          method: 'PUT',
          headers: { 'X-Kind': '{{kind}}' },
          body: { name: '{{name}}' },
        },
      ],
    };
    expect(readDefinition(definition, policy)).toEqual(definition);
  });

  it('is bounded as a whole, before anything else is looked at', () => {
    const long = Array.from({ length: 9 }, () => ({ ...task, description: 'x'.repeat(4_000) }));
    expect(problemsOf({ trigger: hook, actions: long })).toEqual([' TOO_LONG']);
    expect(problemsOf({ trigger: hook, actions: long.slice(2) })).toEqual([]);
  });

  it('names no more mistakes than an answer does', () => {
    const values = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`v${index}`, '{{']));
    expect(problemsOf({ trigger: hook, actions: [record('lead', values)] })).toHaveLength(50);
  });

  it.each([
    ['no trigger', { trigger: undefined }, '/trigger INVALID_TYPE'],
    ['an unknown trigger', { trigger: { type: 'sunrise' } }, '/trigger/type UNKNOWN_TRIGGER'],
    ['a schedule', { trigger: { type: 'schedule', cron: '* * * * *' } }, '/trigger/type NOT_SUPPORTED'],
    ['an unknown event', { trigger: { type: 'event', event: 'lead.hugged' } }, '/trigger/event UNKNOWN_EVENT'],
    ['a misspelt member', { trigger: { ...hook, paylod: [] } }, '/trigger/paylod UNKNOWN_MEMBER'],
    ['a payload key of an unknown type', { trigger: calledWith('colour') }, '/trigger/payload/0 INVALID_PAYLOAD_KEY'],
    ['no actions', { actions: undefined }, '/actions INVALID_TYPE'],
    ['an empty list of actions', { actions: [] }, '/actions INVALID_TYPE'],
    ['two steps of one key', { actions: Array(2).fill({ ...task, key: 'a' }) }, '/actions/1/key DUPLICATE_KEY'],
    ['a broken condition', { condition: 'a >' }, '/condition UNEXPECTED_END'],
  ])('is refused with %s', (_name, changes, problem) => {
    expect(problemsOf({ trigger: hook, actions: [task], ...changes })).toEqual([problem]);
  });

  it.each([
    ['an unknown action', { type: 'dance' }, '/type UNKNOWN_ACTION'],
    ['an action that inherits its name', { type: 'toString' }, '/type UNKNOWN_ACTION'],
    ['an action that cannot be executed', { type: 'send_email' }, '/type NOT_SUPPORTED'],
    ['another that cannot be executed', { type: 'emit_event' }, '/type NOT_SUPPORTED'],
    ['a missing member', { type: 'create_task' }, '/title REQUIRED'],
    ['an unknown member', { ...task, due: 1 }, '/due UNKNOWN_MEMBER'],
    ['an open template', { ...task, title: '{{name' }, '/title INVALID_TEMPLATE'],
    ['an open template deep in values', record('lead', { a: [{ b: '{{' }] }), '/values/a/0/b INVALID_TEMPLATE'],
    ['a template for an object', record('{{object}}', {}), '/object INVALID_TEMPLATE'],
    ['a wait that is too long', { type: 'wait', seconds: 1e9 }, '/seconds INVALID_NUMBER'],
    ['a wait of zero seconds', { type: 'wait', seconds: 0 }, '/seconds INVALID_NUMBER'],
    ['a template for an assignee', { ...task, assignee: '{{x}}' }, '/assignee INVALID_TEMPLATE'],
  ])('is refused with %s', (_name, action, problem) => {
    expect(problemsOf({ trigger: hook, actions: [task, action] })).toEqual([`/actions/1${problem}`]);
  });

  it.each([
    [{ url: 'https://10.0.0.1/' }, '/url TARGET_REFUSED'],
    [{ url: 'https://{{host}}/' }, '/url TARGET_REFUSED'],
    [{ url: '{{url}}' }, '/url TARGET_REFUSED'],
    [{ url: 'https://example.org/{{' }, '/url INVALID_TEMPLATE'],
    [{ url: 'https://example.org/', method: 'TRACE' }, '/method INVALID_METHOD'],
    [{ url: 'https://example.org/', headers: { 'a b': 'c' } }, '/headers INVALID_HEADER'],
    [{ url: 'https://example.org/', headers: { a: 'c\r\nd: e' } }, '/headers INVALID_HEADER'],
    [{ url: 'https://example.org/', headers: { a: 1 } }, '/headers INVALID_HEADER'],
  ])('is refused with the request %j', (request, problem) => {
    const found = problemsOf({ trigger: hook, actions: [{ type: 'http_request', ...request }] });
    expect(found).toContain(`/actions/0${problem}`);
  });

  const kinds: [string, object, object][] = [
    ['the trigger webhook_received', hook, task],
    ['the trigger event', { type: 'event', event: 'deal.won' }, task],
    ['the trigger schedule', { type: 'schedule', cron: '0 7 * * *' }, { type: 'wait', seconds: 1 }],
    ['a trigger on an event of the package', { type: 'event', event: 'acme.done' }, task],
    ['create_record', hook, record('lead', { lastName: '{{name}}' })],
    ['update_record', hook, { ...record('lead', {}), type: 'update_record', id: '{{id}}' }],
    ['create_task', hook, task],
    ['http_request', hook, { type: 'http_request', url: 'https://api.example.org/' }],
    ['send_email', hook, { type: 'send_email', to: 'role:admin', subject: 'a', text: 'b' }],
    ['emit_event', hook, { type: 'emit_event', name: 'acme.done' }],
    ['wait', hook, { type: 'wait', seconds: 1 }],
  ];

  it.each(kinds)('with %s is accepted exactly when a package with it is certified', async (_kind, trigger, action) => {
    const automation = { trigger, actions: [action] };
    const { passed } = await certify(
      {
        ...{ key: 'acme', name: 'Acme', version: '1.0.0', kind: 'industry_app' },
        permissions: ['automations', 'leads', 'tasks', 'pipeline:read'],
        service: { produces: ['acme.done'] },
        automations: [{ key: 'a', ...automation }],
      },
      { mode: 'certification' },
    );
    expect(problemsOf(automation).length === 0).toBe(passed);
  });

  it('is refused with every mistake at once', () => {
    expect(problemsOf({ trigger: {}, condition: 1, actions: [{}, { type: 'wait' }] })).toHaveLength(4);
  });

  const withAmount = calledWith('number');
  const onDeal = { type: 'event', event: 'deal.updated' };
  it.each([
    ['amount > 1', 'its payload', withAmount, []],
    ['amount + 1', 'its payload', withAmount, ['/condition TYPE_MISMATCH']],
    ['amount == "1"', 'its payload', withAmount, ['/condition TYPE_MISMATCH']],
    ['amount >= 1000 && status == "open" && previous != NULL', 'the event’s record', onDeal, []],
    ['closeDate < TODAY()', 'the event’s record', onDeal, []],
    ['amount == "much"', 'the event’s record', onDeal, ['/condition TYPE_MISMATCH']],
  ])('has the condition %s checked against the types of %s', (condition, _of, trigger, problems) => {
    expect(problemsOf({ trigger, condition, actions: [task] })).toEqual(problems);
  });
});
