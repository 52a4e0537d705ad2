import { Module } from '@nestjs/common';
import { TokenGate } from './token-gate.js';

/** What looks at a call before its body is read. */
@Module({ providers: [TokenGate] })
export class TokenGateModule {}
