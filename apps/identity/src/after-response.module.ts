import { Module } from '@nestjs/common';
import { AfterResponse } from './after-response.service.js';

/** Work that is done after the answer. */
@Module({ providers: [AfterResponse], exports: [AfterResponse] })
export class AfterResponseModule {}
