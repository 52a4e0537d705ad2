import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** For sample events: their attempts, up to 15 seconds each, take no places of deliveries. */
@Injectable()
export class SampleEventLimit extends ConcurrencyLimit {
  constructor() {
    super({ perTenant: 2, all: 64 });
  }
}
