import { describe, expect, it } from '@jest/globals';
import { type Found, type Fragment, found, hook } from './differences.js';

const webhooks = (...list: [url: string, ...events: string[]][]): Fragment => ({
  webhooks: list.map(([url, ...events]) => ({ url, events })),
});
const tool = (more: Fragment): Fragment => ({
  assistant: { tools: [{ name: 'find', inputSchema: { type: 'object' }, ...more }] },
});
const A = 'https://a.example.com/1';

describe('the difference in what an app connects to and how it is offered', () => {
  it.each<[string, Fragment, Fragment, Found[]]>([
    [
      'a webhook to a new host',
      {},
      webhooks([A, 'lead.created']),
      [
        ['/hosts/a.example.com', 'added', 'access'],
        ['/events/lead.created', 'added', 'access'],
        ['/webhooks/https:~1~1a.example.com~11', 'added', 'access'],
      ],
    ],
    [
      'another path on a host',
      webhooks([A, 'lead.*']),
      webhooks(['https://a.example.com/2', 'lead.created']),
      [
        ['/events/lead.*', 'removed', 'behaviour'],
        ['/webhooks/https:~1~1a.example.com~12', 'added', 'behaviour'],
        ['/webhooks/https:~1~1a.example.com~11', 'removed', 'behaviour'],
      ],
    ],
    [
      'an event that another host had',
      webhooks([A, 'lead.created'], ['https://b.example.com/', 'lead.updated']),
      webhooks([A, 'lead.created', 'lead.updated'], ['https://b.example.com/', 'lead.updated']),
      [['/webhooks/https:~1~1a.example.com~11/events/lead.updated', 'added', 'access']],
    ],
    [
      'a hook',
      { automations: [{ key: 'a', trigger: { type: 'schedule', cron: '0 7 * * *' }, actions: [] }] },
      hook(),
      [
        ['/automations/a/trigger/type', 'changed', 'access'],
        ['/automations/a/trigger/cron', 'removed', 'behaviour'],
      ],
    ],
    [
      'another call',
      hook({ type: 'http_request', url: A }),
      hook({ type: 'http_request', url: 'https://b.example.com/' }),
      [
        ['/hosts/b.example.com', 'added', 'access'],
        ['/hosts/a.example.com', 'removed', 'behaviour'],
        ['/automations/a/actions/http_request/url', 'changed', 'behaviour'],
      ],
    ],
    [
      'another order of actions',
      hook({ type: 'wait', seconds: 1 }, { type: 'create_task', title: 'x' }),
      hook({ type: 'create_task', title: 'x' }, { type: 'wait', seconds: 1 }),
      [['/automations/a/actions', 'changed', 'behaviour']],
    ],
    [
      'a new origin',
      { embed: { allowedOrigins: ['https://a'] } },
      { embed: { allowedOrigins: ['https://a', 'https://b'] } },
      [['/embed/allowedOrigins/https:~1~1b', 'added', 'access']],
    ],
    ['a first embed section', {}, { embed: { allowedOrigins: ['https://a'] } }, [['/embed', 'added', 'access']]],
    [
      'accounts by e-mail address',
      { embed: { allowedOrigins: ['https://a'], linkUsersBy: 'explicit' } },
      { embed: { allowedOrigins: ['https://a'] } },
      [['/embed/linkUsersBy', 'removed', 'access']],
    ],
    [
      'a redirect URI',
      { oauth: { redirectUris: ['https://a/'] } },
      { oauth: { redirectUris: ['https://a/', 'https://b/'] } },
      [['/oauth/redirectUris/https:~1~1b~1', 'added', 'access']],
    ],
    [
      'a tool that no longer asks',
      tool({ requiresConfirmation: true }),
      tool({}),
      [['/assistant/tools/find/requiresConfirmation', 'removed', 'access']],
    ],
    [
      'a tool that writes',
      tool({ readOnly: true, scope: 'leads:read' }),
      tool({ scope: 'leads' }),
      [
        ['/assistant/tools/find/scope', 'changed', 'access'],
        ['/assistant/tools/find/readOnly', 'removed', 'access'],
      ],
    ],
    [
      'an app for everybody',
      { listing: { visibility: 'private' } },
      { listing: {} },
      [['/listing/visibility', 'removed', 'access']],
    ],
    [
      'another summary',
      { listing: { summary: 'x' } },
      { listing: { summary: 'y' } },
      [['/listing/summary', 'changed', 'text']],
    ],
    ['a section that joins the manifest', {}, { future: { a: 1 } }, [['/future', 'added', 'behaviour']]],
  ])('finds %s', (_what, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });
});
