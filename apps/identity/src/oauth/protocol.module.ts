import { Module } from '@nestjs/common';
import { GuessLimit } from './guess-limit.js';

/** What the OAuth endpoints have in common. */
@Module({ providers: [GuessLimit], exports: [GuessLimit] })
export class ProtocolModule {}
