import * as typeorm from 'typeorm';

if (!('ForeignKey' in typeorm))
  throw new Error(
    'rookery/typeorm needs TypeORM 0.3.23 or later, whose @ForeignKey() its entities use: run `npm install typeorm@0.3`',
  );
