import { expect, it } from '@jest/globals';
import { isVisibleToApp } from './event-pattern.js';

it.each([
  ['lead.created', undefined, 'acme', true],
  // The data name `acme`.
  ['app.installed', undefined, 'acme', true],
  ['app.installed', undefined, 'acme.two', false],
  ['app.later', 'other', 'other', false],
  ['record.created', 'acme', 'acme', true],
  ['record.updated', 'other acme', 'acme', true],
  ['record.updated', 'other-acme acme.two', 'acme', false],
  ['record.deleted', '', 'acme', false],
  ['record.deleted', undefined, 'acme', false],
  // Endpoints of the app, of another app, of the workspace.
  ['webhook.endpoint_disabled', 'acme', 'acme', true],
  ['webhook.endpoint_disabled', 'other', 'acme', false],
  ['webhook.endpoint_disabled', undefined, 'acme', false],
  // The publisher alone.
  ['submission.decided', undefined, 'acme', false],
  // A domain that only begins like one of them.
  ['webhooks.created', undefined, 'acme', true],
])('the event %s for the apps %j is visible to %s: %s', (type, appkeys, appKey, expected) => {
  const owner = appkeys?.split(' ')[0];
  const names = appkeys === undefined ? {} : { appkeys, installationid: `of ${owner}` };
  const event = { type, data: { appKey: 'acme' }, ...names };
  expect(isVisibleToApp(event, { appKey, installationId: `of ${appKey}`, sandbox: false })).toBe(expected);
});

it.each([
  ['its own installation', 'acme', 'i-1', false, true],
  ['its own sandbox', 'acme', 'i-1', true, true],
  ['a sandbox of the same app', 'acme', 'i-2', true, false],
  ['the production installation of the same app, when it is of a sandbox', 'acme', 'i-2', false, false],
  ['an app that the object is shared with', 'other', 'i-3', false, true],
  ['a sandbox of an app that the object is shared with', 'other', 'i-3', true, false],
  ['another app', 'third', 'i-4', false, false],
])('an event of an object goes to %s', (_who, appKey, installationId, sandbox, expected) => {
  for (const type of ['record.created', 'webhook.endpoint_disabled']) {
    const event = { type, data: {}, appkeys: 'acme other', installationid: 'i-1' };
    expect(isVisibleToApp(event, { appKey, installationId, sandbox })).toBe(expected);
  }
});
