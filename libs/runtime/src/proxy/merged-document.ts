import type { ServiceName } from '@crm/contracts';
import { API_INFO } from '@crm/http';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { PROXY_CONFIG, type ProxyConfig } from './proxy-config.js';
import { UpstreamClient } from './upstream-client.js';

const CACHE_MS = 60_000;
/** The missing service may be back; but asking for it with every call would make a load out of its failure. */
const INCOMPLETE_CACHE_MS = 5000;
const FETCH_TIMEOUT_MS = 3000;

interface Kept {
  until: number;
  /** JSON, so that it is written once and not for each call. */
  readonly text: Promise<string>;
}

export interface DocumentSources {
  readonly title: string;
  /** Where the routes are called. */
  readonly serverUrl: string;
  /** Where each service has its document. */
  readonly path: string;
  /** Returns whether requests for a path go to a service. */
  readonly belongs: (path: string, service: ServiceName) => boolean;
  readonly own?: (() => OpenApi) | undefined;
}

export const DOCUMENT_SOURCES = Symbol('crm:document-sources');

/** One OpenAPI document of all services behind an edge, fetched on demand and kept for a minute. */
@Injectable()
export class MergedDocument {
  private readonly logger = new Logger(MergedDocument.name);
  private kept: Kept | undefined;

  constructor(
    @Inject(PROXY_CONFIG) private readonly config: ProxyConfig,
    @Inject(DOCUMENT_SOURCES) private readonly sources: DocumentSources,
    private readonly client: UpstreamClient,
  ) {}

  get(): Promise<string> {
    if (!this.kept || this.kept.until <= Date.now()) this.kept = this.make();
    return this.kept.text;
  }

  private make(): Kept {
    const keepFor = (ms: number): void => {
      kept.until = Date.now() + ms;
    };
    const text = this.build().then(
      ({ document, isComplete }) => {
        keepFor(isComplete ? CACHE_MS : INCOMPLETE_CACHE_MS);
        return JSON.stringify(document);
      },
      (error: unknown) => {
        keepFor(INCOMPLETE_CACHE_MS);
        throw error;
      },
    );
    // Until then all calls wait for this one.
    const kept: Kept = { until: Number.POSITIVE_INFINITY, text };
    return kept;
  }

  private async build(): Promise<{ document: OpenApi; isComplete: boolean }> {
    const names = Object.keys(this.config.upstreams) as ServiceName[];
    const documents = await Promise.all(names.map(async (name) => [name, await this.load(name)] as const));
    const present = documents.filter((entry): entry is readonly [ServiceName, OpenApi] => entry[1] !== undefined);
    const { own } = this.sources;
    const all = own ? [...present, [this.config.service.name, own()] as const] : present;
    return { document: mergeDocuments(all, this.sources), isComplete: present.length === names.length };
  }

  private async load(name: ServiceName): Promise<OpenApi | undefined> {
    const msg = 'A service has no OpenAPI document; the merged document leaves it out';
    try {
      const { status, body } = await this.client.get(name, this.sources.path, { timeoutMs: FETCH_TIMEOUT_MS });
      if (status === 200) return body as OpenApi;
      this.logger.warn({ msg, upstream: name, status });
    } catch (err) {
      this.logger.warn({ msg, upstream: name, err });
    }
    return undefined;
  }
}

type Json = Record<string, unknown>;

export interface OpenApi extends Json {
  paths?: Record<string, Json>;
  tags?: { name: string; description: string }[];
  components?: Json & { schemas?: Record<string, unknown>; examples?: Record<string, unknown> };
}

const REFERENCE = '#/components/schemas/';

/** Where schemas of one name differ, later ones get the name of their service in front; equal ones become one. */
export function mergeDocuments(
  documents: readonly (readonly [name: ServiceName, document: OpenApi])[],
  { title, serverUrl, belongs }: Pick<DocumentSources, 'title' | 'serverUrl' | 'belongs'>,
): OpenApi {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, unknown> = {};
  const examples: Record<string, unknown> = {};
  const securitySchemes: Record<string, unknown> = {};
  const tags = new Map<string, { name: string; description: string }>();
  for (const [name, document] of documents) {
    const own = document.components?.schemas ?? {};
    const clashing = new Set(
      Object.keys(own).filter(
        (key) => Object.hasOwn(schemas, key) && JSON.stringify(schemas[key]) !== JSON.stringify(own[key]),
      ),
    );
    const rename = (key: string): string => (clashing.has(key) ? `${pascalCase(name)}${key}` : key);
    for (const [key, schema] of Object.entries(own)) schemas[rename(key)] = renameReferences(schema, rename);
    // Refusals come from one catalogue of errors, so examples of one name are the same.
    Object.assign(examples, document.components?.examples);
    Object.assign(securitySchemes, document.components?.securitySchemes);
    for (const tag of document.tags ?? []) tags.set(tag.name, tag);
    for (const [path, item] of Object.entries(document.paths ?? {})) {
      if (belongs(path, name)) paths[path] = renameReferences(item, rename) as Json;
    }
  }
  return {
    openapi: '3.1.1',
    info: { title, ...API_INFO },
    servers: [{ url: serverUrl }],
    tags: [...tags.values()].sort((left, right) => left.name.localeCompare(right.name)),
    paths: Object.fromEntries(Object.entries(paths).sort(([left], [right]) => left.localeCompare(right))),
    components: {
      schemas,
      examples,
      securitySchemes,
    },
  };
}

function renameReferences(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renameReferences(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' && member.startsWith(REFERENCE)
        ? REFERENCE + rename(member.slice(REFERENCE.length))
        : renameReferences(member, rename),
    ]),
  );
}

const pascalCase = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
