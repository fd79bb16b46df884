/**
 * What is used of TypeORM, each from its own file. Node looks through everything that the package's index exports again
 * before it hands out the first of it: a twentieth of the server's start.
 */
import 'reflect-metadata';

export { DataSource } from 'typeorm/data-source/DataSource.js';
export { Column } from 'typeorm/decorator/columns/Column.js';
export { PrimaryColumn } from 'typeorm/decorator/columns/PrimaryColumn.js';
export { Entity } from 'typeorm/decorator/entity/Entity.js';
export { ForeignKey } from 'typeorm/decorator/ForeignKey.js';
export { Index } from 'typeorm/decorator/Index.js';
export { QueryFailedError } from 'typeorm/error/QueryFailedError.js';
export { Table } from 'typeorm/schema-builder/table/Table.js';
export { TableColumn } from 'typeorm/schema-builder/table/TableColumn.js';
