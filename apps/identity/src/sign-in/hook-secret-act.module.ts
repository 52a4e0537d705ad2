import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module.js';
import { HookSecretActRpc } from './hook-secret-act.rpc.js';
import { HookSecretActService } from './hook-secret-act.service.js';

/** Changes of the secrets of hooks, admitted and written down. */
@Module({ imports: [SessionModule], controllers: [HookSecretActRpc], providers: [HookSecretActService] })
export class HookSecretActModule {}
