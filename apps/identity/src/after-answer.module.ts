import { Module } from '@nestjs/common';
import { AfterAnswer } from './after-answer.service.js';

/** Work that is done after the answer. */
@Module({ providers: [AfterAnswer], exports: [AfterAnswer] })
export class AfterAnswerModule {}
