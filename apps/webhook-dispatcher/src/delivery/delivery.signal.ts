import { Wake } from '@crm/worker';
import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that something is due, without waiting for its next look. */
@Injectable()
export class DeliverySignal extends Wake {}
