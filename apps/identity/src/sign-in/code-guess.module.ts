import { Module } from '@nestjs/common';
import { CodeGuessService } from './code-guess.service.js';

/** Bounds the codes that are tried for a user. */
@Module({ providers: [CodeGuessService], exports: [CodeGuessService] })
export class CodeGuessModule {}
