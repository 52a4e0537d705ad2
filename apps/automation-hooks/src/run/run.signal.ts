import { Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Wakes the worker of this process when a run was stored. The worker also polls, so that a lost signal only delays. */
@Injectable()
export class RunSignal extends Wake {}
