import { Module } from '@nestjs/common';
import { SubmissionController } from './submission.controller.js';
import { SubmissionDocuments } from './submission-documents.js';

@Module({ controllers: [SubmissionController], providers: [SubmissionDocuments] })
export class SubmissionModule {}
