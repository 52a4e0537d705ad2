import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** For calls that wait: each reads the ledger twice a second. */
@Injectable()
export class ListeningLimit extends ConcurrencyLimit {
  constructor() {
    super({ perTenant: 8, all: 256 });
  }
}
