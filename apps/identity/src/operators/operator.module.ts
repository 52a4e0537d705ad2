import { Module } from '@nestjs/common';
import { PasswordModule } from '../accounts/password/password.module.js';
import { KeyModule } from '../keys/key.module.js';
import { LimitModule } from '../sign-in/limit/limit.module.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorRpc } from './operator.rpc.js';
import { OperatorService } from './operator.service.js';

/** Operators and their sessions. */
@Module({
  imports: [PasswordModule, KeyModule, LimitModule],
  controllers: [OperatorRpc],
  providers: [OperatorRepository, OperatorService],
})
export class OperatorModule {}
