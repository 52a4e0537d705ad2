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

  /** @throws PlatformError NOT_FOUND */
  getAsset(name: string): Asset {
    const asset = this.files.assets.get(name);
    if (!asset) throw new PlatformError('NOT_FOUND');
    return asset;
  }

  private get files(): PageFiles {
    if (!this.page) throw new Error('The page is read when the module starts');
    return this.page;
  }
}
