import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';

const EVERY_MS = 1_000;
/** UTF-16 units of new texts, whose entries take some megabytes of a list, which every search reads. */
const ENOUGH = 100_000;
/** After so many sweeps also less is sorted in. */
const PATIENCE = 60;

const SORT_IN_SEARCH_LISTS = 'SELECT sort_in_search_lists()';

/**
 * Sorts the new entries of the indexes of texts in, which wait in a list. Writes must not do it: each megabyte of texts at random touches
 * all pages of an index, so that one call could take longer than its caller waits.
 */
@Injectable()
export class SearchListSweeper extends Sweeper {
  private written = 0;
  private waited = 0;

  constructor(private readonly database: Database) {
    super({ everyMs: EVERY_MS });
  }

  /** @param units of texts that were written */
  note(units: number): void {
    this.written += units;
  }

  async sweep(): Promise<void> {
    this.waited = this.written > 0 ? this.waited + 1 : 0;
    if (this.written < ENOUGH && this.waited < PATIENCE) return;
    [this.written, this.waited] = [0, 0];
    await this.database.crossTenant((tx) => tx.query(SORT_IN_SEARCH_LISTS));
  }
}
