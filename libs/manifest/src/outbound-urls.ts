import { checkUrl, hostOf, parseUrl, type Refusal, type UrlOptions } from '@crm/address-policy';
import { entriesOf, type ManifestDraft } from './example.js';
import { pointer } from './json-pointer.js';
import type { Manifest } from './schema/manifest.js';
import { hasPlaceholder, isUrlTemplateFixed } from './templates.js';

export type KeyOwnership = 'free' | 'own' | 'other';

/**
 * Answers that the suite cannot find in the package. Each probe is optional; a check without its probe is reported as
 * skipped. When a probe rejects, the certification rejects, because the answer is unknown; only
 * {@link CertificationProbes.resolveHost} may reject for a name that does not resolve.
 */
export interface CertificationProbes {
  /** Says whether the key is free, or belongs to this publisher or to another one. */
  keyOwnership?: (key: string) => Promise<KeyOwnership>;
  /** Every version of the key that was ever submitted. */
  submittedVersions?: (key: string) => Promise<readonly string[]>;
  /** The manifest of the published version, or null when none is published. */
  publishedManifest?: (key: string) => Promise<Manifest | null>;
  /**
   * All addresses of a host name; empty or a rejection when there are none. Called for at most a hundred names, all
   * at once.
   */
  resolveHost?: (hostname: string) => Promise<readonly string[]>;
}

interface OutboundUrl {
  text: string;
  pointer: string;
}

/** Every URL of the package that the platform would call, in the order of the sections. */
export function outboundUrls(manifest: ManifestDraft): OutboundUrl[] {
  const urls: [text: string | undefined, at: string][] = [];
  for (const [i, automation] of entriesOf(manifest.automations)) {
    for (const [j, action] of entriesOf(automation.actions)) {
      if (action.type === 'http_request') urls.push([action.url, pointer('automations', i, 'actions', j, 'url')]);
    }
  }
  for (const [i, webhook] of entriesOf(manifest.webhooks)) urls.push([webhook.url, pointer('webhooks', i, 'url')]);
  for (const [i, stream] of entriesOf(manifest.connector?.streams)) {
    urls.push([stream.url, pointer('connector', 'streams', i, 'url')]);
  }
  for (const [i, server] of entriesOf(manifest.assistant?.mcpServers)) {
    const at = pointer('assistant', 'mcpServers', i);
    if (typeof server === 'string') urls.push([server, at]);
    else urls.push([server.url, `${at}/url`]);
  }
  return urls.flatMap(([text, at]) => (text === undefined ? [] : [{ text, pointer: at }]));
}

/** The sections of a package that name hosts. */
export const HOST_SECTIONS = ['automations', 'webhooks', 'connector', 'assistant', 'embed', 'oauth'] as const;
type HostSection = (typeof HOST_SECTIONS)[number];

/**
 * Every host, with its port unless it is that of https, that an installed app works with: the platform sends data there or
 * reads from it, it frames the CRM, or a browser is sent back to it. Sorted, each with the sections that name it.
 */
export function hostUses(manifest: Manifest): { host: string; sections: HostSection[] }[] {
  const urls = outboundUrls(manifest).map(({ text, pointer }) => [pointer.split('/')[1] as HostSection, text] as const);
  const origins = (manifest.embed?.allowedOrigins ?? []).map((text) => ['embed', text] as const);
  const redirects = (manifest.oauth?.redirectUris ?? []).map((text) => ['oauth', text] as const);
  const uses = new Map<string, Set<HostSection>>();
  for (const [section, text] of [...urls, ...origins, ...redirects]) {
    const host = parseUrl(withoutPlaceholders(text))?.host;
    if (host !== undefined) uses.set(host, (uses.get(host) ?? new Set()).add(section));
  }
  return [...uses]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([host, sections]) => ({ host, sections: HOST_SECTIONS.filter((section) => sections.has(section)) }));
}

/** Checks a URL by its text: it must satisfy the policy and have no placeholder before the path. */
export function judgeUrl(text: string, options: UrlOptions): { ok: true; host: string } | Refusal {
  if (!isUrlTemplateFixed(text)) {
    return { ok: false, code: 'invalid_url', message: 'Placeholders are allowed only in the path and query of a URL' };
  }
  // Values of placeholders are percent-encoded, so they cannot change anything that is checked here.
  const sample = withoutPlaceholders(text);
  const verdict = checkUrl(sample, options);
  // The original text too: its length is checked again at installation.
  const written = verdict.ok && sample !== text ? checkUrl(text, options) : verdict;
  return written.ok ? { ok: true, host: hostOf(written.url) } : written;
}

const withoutPlaceholders = (text: string): string =>
  hasPlaceholder(text) ? text.replace(/\{\{[^{}]*\}\}/g, 'x') : text;

export const MAX_HOSTS = 100;

/** The URLs of a package by host, without those that the policy refuses. */
export function urlsByHost(manifest: ManifestDraft, options: UrlOptions): Map<string, OutboundUrl[]> {
  const hosts = new Map<string, OutboundUrl[]>();
  for (const url of outboundUrls(manifest)) {
    const verdict = judgeUrl(url.text, options);
    if (!verdict.ok) continue;
    const urls = hosts.get(verdict.host);
    if (urls) urls.push(url);
    else hosts.set(verdict.host, [url]);
  }
  return hosts;
}
