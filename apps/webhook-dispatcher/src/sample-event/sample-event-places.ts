import { Injectable } from '@nestjs/common';
import { CallPlaces } from '../sandbox/call-places.js';

/** For sample events: their attempts, up to 15 seconds each, take no places of deliveries. */
@Injectable()
export class SampleEventPlaces extends CallPlaces {
  constructor() {
    super({ perTenant: 2, all: 64 });
  }
}
