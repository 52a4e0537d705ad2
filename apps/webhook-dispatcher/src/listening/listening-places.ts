import { Injectable } from '@nestjs/common';
import { CallPlaces } from '../sandbox/call-places.js';

/** For calls that wait: each reads the ledger twice a second. */
@Injectable()
export class ListeningPlaces extends CallPlaces {
  constructor() {
    super({ perTenant: 8, all: 256 });
  }
}
