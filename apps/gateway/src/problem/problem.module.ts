import { Module } from '@nestjs/common';
import { ProblemController } from './problem.controller.js';

@Module({ controllers: [ProblemController] })
export class ProblemModule {}
