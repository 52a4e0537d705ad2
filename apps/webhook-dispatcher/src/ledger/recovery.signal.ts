import { Wake } from '@crm/worker';
import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that a recovery has started. */
@Injectable()
export class RecoverySignal extends Wake {}
