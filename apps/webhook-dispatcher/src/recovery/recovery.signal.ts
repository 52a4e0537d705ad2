import { Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that a recovery has started. */
@Injectable()
export class RecoverySignal extends Wake {}
