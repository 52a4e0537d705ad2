import { Module } from '@nestjs/common';
import { PasswordService } from './password.service.js';
import { PasswordMarks } from './password-marks.js';

/** Hashes and checks passwords. */
@Module({
  providers: [PasswordMarks, PasswordService],
  exports: [PasswordMarks, PasswordService],
})
export class PasswordModule {}
