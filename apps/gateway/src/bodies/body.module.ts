import { Module } from '@nestjs/common';
import { BodyBudget } from './body-budget.js';

@Module({ providers: [BodyBudget], exports: [BodyBudget] })
export class BodyModule {}
