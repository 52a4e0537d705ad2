import { Module } from '@nestjs/common';
import { SubmissionController } from './submission.controller.js';

@Module({ controllers: [SubmissionController] })
export class SubmissionModule {}
