import type { TestingModuleBuilder } from '@nestjs/testing';

/** Changes a node, to plant a fault in it. */
export type Prepare = (module: TestingModuleBuilder) => TestingModuleBuilder;
