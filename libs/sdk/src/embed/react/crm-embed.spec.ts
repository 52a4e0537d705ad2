import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Window } from 'happy-dom';
import { act, createElement, StrictMode } from 'react';
import type { Root } from 'react-dom/client';
import { EmbedError } from '../options.js';
import { type HostMessage, inEnvelope } from '../protocol/messages.js';
import { CrmEmbed, type CrmEmbedProps } from './crm-embed.js';

const EMBED_URL = 'https://embed.example';
/** What React looks for, of a document that loads nothing. */
const GLOBALS = ['window', 'document', 'navigator', 'HTMLIFrameElement', 'IS_REACT_ACT_ENVIRONMENT'] as const;

let window: Window;
let root: Root;
let tokens: string[];
let events: string[];
let aborted: number;

beforeAll(() => {
  window = new Window({ url: 'https://host.example', settings: { navigation: { disableChildFrameNavigation: true } } });
  const own = { window, IS_REACT_ACT_ENVIRONMENT: true };
  for (const name of GLOBALS) Reflect.set(globalThis, name, Reflect.get(own, name) ?? Reflect.get(window, name));
});
afterAll(async () => {
  // Jest walks through what is left, and a document has no end.
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  await window.happyDOM.close();
});
beforeEach(async () => {
  [tokens, events, aborted] = [[], [], 0];
  const { createRoot } = await import('react-dom/client');
  const container = window.document.createElement('div');
  window.document.body.append(container);
  root = createRoot(container as unknown as HTMLElement);
});
afterEach(() => act(async () => root.unmount()));

const props = (own: Partial<CrmEmbedProps> = {}): CrmEmbedProps => ({
  clientId: 'embed_1',
  embedUrl: EMBED_URL,
  fetchToken: async ({ signal }) => {
    signal.addEventListener('abort', () => {
      aborted += 1;
    });
    tokens.push('token');
    return 'aaaa.bbbb.cccc';
  },
  onEvent: ({ type }) => events.push(type),
  ...own,
});
const render = async (own?: Partial<CrmEmbedProps>, isStrict = false): Promise<void> => {
  await act(async () => {
    const component = createElement(CrmEmbed, props(own));
    root.render(isStrict ? createElement(StrictMode, null, component) : component);
  });
};
const frames = () => [...window.document.querySelectorAll('iframe')];

/** The page in the last frame says that it is there; what it is sent from now on is noted. */
async function answer(): Promise<HostMessage[]> {
  const frame = frames().at(-1);
  if (!frame) throw new Error('There is no frame');
  const messages: HostMessage[] = [];
  const target = { postMessage: (message: HostMessage) => messages.push(message) };
  Object.defineProperty(frame, 'contentWindow', { value: target, configurable: true });
  const data = inEnvelope({ type: 'ready' });
  const event = new window.MessageEvent('message', { data, origin: EMBED_URL });
  Object.defineProperty(event, 'source', { value: target });
  await act(async () => {
    window.dispatchEvent(event);
  });
  return messages;
}
const typesOf = (messages: readonly HostMessage[]) => messages.map(({ type }) => type);

describe('CrmEmbed', () => {
  it('shows one frame of the page, below an element with the class and style of the host', async () => {
    await render({ className: 'crm', style: { height: 400 }, title: 'Our CRM' });
    expect(frames().map(({ src, title }) => [src, title])).toEqual([[`${EMBED_URL}/embed/embed_1`, 'Our CRM']]);
    const element = window.document.querySelector('.crm');
    expect(element?.getAttribute('style')).toContain('height: 400px');
    expect(frames()[0]?.parentElement).toBe(element);
  });

  it('has one frame in strict mode, whose effects run twice; what the first one asked for is ended', async () => {
    await render({}, true);
    expect(frames()).toHaveLength(1);
    expect([tokens.length, aborted, events]).toEqual([2, 1, ['destroyed']]);
    await answer();
    expect(events).toEqual(['destroyed', 'ready']);
  });

  it('tells the page of another view, theme and locale, and of nothing that is equal', async () => {
    await render({ view: { object: 'leads' } });
    const messages = await answer();
    expect(typesOf(messages)).toEqual(['navigate']);
    await render({ view: { object: 'leads' } });
    expect(messages).toHaveLength(1);
    await render({ view: { object: 'tasks' }, theme: { radius: 3 }, locale: 'de' });
    expect(messages.slice(1)).toMatchObject([
      { type: 'navigate', view: { object: 'tasks' } },
      { type: 'theme', theme: { radius: 3 } },
      { type: 'locale', locale: 'de' },
    ]);
    expect(frames()).toHaveLength(1);
  });

  it.each<[string, Partial<CrmEmbedProps>]>([
    ['client', { clientId: 'embed_2' }],
    ['address', { embedUrl: 'https://embed.example:8443' }],
    ['title', { title: 'Another' }],
    ['way of growing', { autoHeight: false }],
  ])('makes the frame anew for another %s', async (_, changed) => {
    await render({ view: { object: 'leads' } });
    const [first] = frames();
    await render({ view: { object: 'tasks' }, ...changed });
    expect(frames()).toHaveLength(1);
    expect(frames()[0]).not.toBe(first);
    expect([events, aborted]).toEqual([['destroyed'], 1]);
  });

  it('calls the functions of the latest rendering', async () => {
    await render();
    const later: string[] = [];
    await render({ onEvent: ({ type }) => later.push(type) });
    await answer();
    expect([events, later]).toEqual([[], ['ready']]);
    expect(frames()).toHaveLength(1);
  });

  it('removes its frame with itself', async () => {
    await render();
    const messages = await answer();
    await act(async () => root.render(null));
    expect(frames()).toEqual([]);
    expect(typesOf(messages)).toEqual(['destroyed']);
    expect([events, aborted]).toEqual([['ready', 'destroyed'], 1]);
  });

  it('throws what is wrong with its properties where an error boundary gets it', async () => {
    await expect(render({ embedUrl: 'nonsense' })).rejects.toThrow(EmbedError);
    expect(frames()).toEqual([]);
  });
});
