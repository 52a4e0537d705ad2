import { expect, it } from '@jest/globals';
import { isVisibleToApp } from './event-pattern.js';

it.each([
  ['lead.created', undefined, 'acme', true],
  // Of `acme`, as the data says.
  ['app.installed', undefined, 'acme', true],
  ['app.installed', undefined, 'acme.two', false],
  ['app.later', 'other', 'other', false],
  ['record.created', 'acme', 'acme', true],
  ['record.updated', 'other acme', 'acme', true],
  ['record.updated', 'other-acme acme.two', 'acme', false],
  ['record.deleted', '', 'acme', false],
  ['record.deleted', undefined, 'acme', false],
  // Of an endpoint of the app, of another app, of the workspace.
  ['webhook.endpoint_disabled', 'acme', 'acme', true],
  ['webhook.endpoint_disabled', 'other', 'acme', false],
  ['webhook.endpoint_disabled', undefined, 'acme', false],
  // Of the publisher alone.
  ['submission.decided', undefined, 'acme', false],
  // A domain that only begins like one of them.
  ['webhooks.created', undefined, 'acme', true],
])('the event %s for the apps %j is visible to %s: %s', (type, appkeys, appKey, expected) => {
  expect(
    isVisibleToApp({ type, data: { appKey: 'acme' }, ...(appkeys === undefined ? {} : { appkeys }) }, appKey),
  ).toBe(expected);
});
