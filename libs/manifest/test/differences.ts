import { type Difference, type Manifest, manifestDifference } from '../src/index.js';
import { type Fragment, manifestWith } from './base-manifest.js';

export type { Fragment };

/** What an entry is about, what happened to it, and what it calls for. */
export type Found = [path: string, kind: string, attention: string];

const asManifest = (fragment: Fragment): Manifest => manifestWith(fragment) as unknown as Manifest;

export const differences = (before: Fragment, after: Fragment): Difference[] =>
  manifestDifference(asManifest(before), asManifest(after));
export const found = (before: Fragment, after: Fragment): Found[] =>
  differences(before, after).map(({ path, kind, attention }) => [path, kind, attention]);

export const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
export const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });
export const hook = (...actions: Fragment[]): Fragment => ({
  automations: [{ key: 'a', trigger: { type: 'webhook_received' }, actions }],
});
