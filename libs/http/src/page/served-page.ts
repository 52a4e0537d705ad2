import { PlatformError } from '@crm/contracts';
import type { OnModuleInit } from '@nestjs/common';
import { type Asset, type PageFiles, readPage } from './page-files.js';

/** The built page that a service serves. Without it the service does not start. */
export abstract class ServedPage implements OnModuleInit {
  private page: PageFiles | undefined;

  /**
   * @param folder of the built page
   * @param variable of the environment that names the folder, for whoever reads that it is missing
   */
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
