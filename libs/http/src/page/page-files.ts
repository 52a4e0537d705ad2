import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PlatformError } from '@crm/contracts';
import type { OnModuleInit } from '@nestjs/common';

/** A file of the page, with the compressed forms that the build has made of it. */
export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly compressed: ReadonlyMap<string, Buffer>;
}

interface PageFiles {
  readonly document: string;
  /** Keys are names below `assets/`, which contain a hash of the content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Codings by the ending of their files, the smallest first. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** @throws Error that names the folder's variable when there is no page */
export async function readPage(folder: string, variable: string): Promise<PageFiles> {
  const assetFolder = path.join(folder, 'assets');
  const [document, names] = await Promise.all([
    readFile(path.join(folder, 'index.html'), 'utf8'),
    readdir(assetFolder),
  ]).catch((cause: unknown) => {
    throw new Error(`There is no built page in ${folder} (${variable}); npm run build makes it`, { cause });
  });
  const own = names.filter((name) => path.extname(name) in TYPES);
  const assets = await Promise.all(own.map(async (name) => [name, await readAsset(assetFolder, name, names)] as const));
  return { document, assets: new Map(assets) };
}

async function readAsset(folder: string, name: string, names: readonly string[]): Promise<Asset> {
  const read = (file: string): Promise<Buffer> => readFile(path.join(folder, file));
  const codings = CODINGS.filter(([, ending]) => names.includes(name + ending));
  const compressed = await Promise.all(
    codings.map(async ([coding, ending]) => [coding, await read(name + ending)] as const),
  );
  return { type: TYPES[path.extname(name)] as string, plain: await read(name), compressed: new Map(compressed) };
}

/** The form of an asset that is sent for a header `Accept-Encoding`. */
export function encodedFor(asset: Asset, accepted: string | undefined): { coding?: string; content: Buffer } {
  const codings = acceptedCodings(accepted ?? '');
  for (const [coding, content] of asset.compressed) if (codings.has(coding)) return { coding, content };
  return { content: asset.plain };
}

/** Codings that the client takes (RFC 9110, section 12.5.3); one with the weight 0 is refused. */
export function acceptedCodings(header: string): ReadonlySet<string> {
  const codings = header.split(',').map((part) => part.split(';').map((text) => text.trim().toLowerCase()));
  const isRefused = (parameter: string): boolean => /^q=0(?:\.0*)?$/.test(parameter);
  return new Set(codings.filter((part) => !part.slice(1).some(isRefused)).map(([coding = '']) => coding));
}

/** The part of an HTTP reply that a page needs. */
export interface ReplyHead {
  header(name: string, value: string): ReplyHead;
}

/** The built page that a service serves. Without it the service does not start. */
export abstract class ServedPage implements OnModuleInit {
  private page: PageFiles | undefined;

  /** @param variable of the environment that names the folder, for the error */
  protected constructor(
    private readonly folder: string,
    private readonly variable: string,
  ) {}

  async onModuleInit(): Promise<void> {
    this.page = await readPage(this.folder, this.variable);
  }

  get document(): string {
    return this.files.document;
  }

  /**
   * The document with what the page has to know, as attributes of its element, so that no inline script is needed.
   * @param attributes such as `nonce`, which a script can read and a style sheet cannot
   */
  documentWith(attributes: Readonly<Record<string, string>>): string {
    return withAttributes(this.files.document, attributes);
  }

  /**
   * Answers with an asset in the form that the client takes. Its name contains a hash of the content, so that what is behind it
   * never changes; a name that is not there must not stay missing for a year.
   * @param accepted the header `Accept-Encoding`
   * @throws PlatformError NOT_FOUND
   */
  sendAsset(name: string, accepted: string | undefined, reply: ReplyHead): Buffer {
    const asset = this.files.assets.get(name);
    if (!asset) throw new PlatformError('NOT_FOUND');
    const { coding, content } = encodedFor(asset, accepted);
    reply.header('Cache-Control', 'public, max-age=31536000, immutable').header('Content-Type', asset.type);
    reply.header('Cross-Origin-Resource-Policy', 'same-origin').header('Vary', 'Accept-Encoding');
    if (coding !== undefined) reply.header('Content-Encoding', coding);
    return content;
  }

  private get files(): PageFiles {
    if (!this.page) throw new Error('The page is read when the module starts');
    return this.page;
  }
}

/** @param document of a page as it was built */
export const withAttributes = (document: string, attributes: Readonly<Record<string, string>>): string =>
  document.replace('<html ', () => {
    const written = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(value)}" `);
    return `<html ${written.join('')}`;
  });

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

/** By which the policy of one document knows the style elements that its own scripts make. Never used for another document. */
export const newNonce = (): string => randomBytes(16).toString('base64');
