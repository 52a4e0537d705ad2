import { describe, expect, it } from '@jest/globals';
import { actorOf } from './record-history.repository.js';

describe('who made a change', () => {
  it.each([
    ['a user', { kind: 'user' }, 'user', null],
    ['a user in a host application', { kind: 'embed', appKey: 'host' }, 'embed', 'host'],
    ['an app', { kind: 'app', appKey: 'acme' }, 'app', 'acme'],
    ['a service account', { kind: 'user', serviceAccount: true }, 'service_account', null],
    ['a workflow of its author', { kind: 'internal' }, 'workflow', null],
    ['a workflow of an app', { kind: 'internal', appKey: 'acme' }, 'workflow', 'acme'],
  ] as const)('is %s', (_, origin, actor, app) => {
    expect(actorOf({ tenantId: 't', ...origin }, 'u')).toEqual({ by: 'u', actor, app });
  });
});
