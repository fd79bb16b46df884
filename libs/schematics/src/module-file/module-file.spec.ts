import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { ModuleEntry } from './entry.js';
import { ModuleFile } from './module-file.js';

const presence: ModuleEntry = { list: 'imports', name: 'PresenceModule', from: 'rookery/presence' };
const channels: ModuleEntry = {
  list: 'imports',
  name: 'ChannelsModule',
  from: 'rookery/channels',
  options: ['apps: [app]'],
  uses: [{ name: 'app', from: './config.js' }],
};
const access: ModuleEntry = { list: 'providers', name: 'ChannelAccess', from: './access.js' };

const opened = (text: string): ModuleFile => new ModuleFile(ts, 'app.module.ts', text);
const added = (text: string, ...entries: readonly ModuleEntry[]): string => opened(text).with(entries);
const inLines = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

const nest = `import { Module } from '@nestjs/common';`;

describe('a module', () => {
  it('of `nest new` gets modules, a provider and their imports', () => {
    const text = inLines(
      nest,
      `import { AppService } from './app.service.js';`,
      '',
      '@Module({',
      '  imports: [],',
      '  controllers: [],',
      '  providers: [AppService],',
      '})',
      'export class AppModule {}',
    );
    expect(added(text, presence, channels, access)).toBe(
      inLines(
        nest,
        `import { AppService } from './app.service.js';`,
        `import { ChannelsModule } from 'rookery/channels';`,
        `import { PresenceModule } from 'rookery/presence';`,
        `import { ChannelAccess } from './access.js';`,
        `import { app } from './config.js';`,
        '',
        '@Module({',
        '  imports: [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [app] })],',
        '  controllers: [],',
        '  providers: [AppService, ChannelAccess],',
        '})',
        'export class AppModule {}',
      ),
    );
  });

  /** What stands in `@Module(…)` before and after `PresenceModule` was added. */
  const shapes: readonly (readonly [string, string, string])[] = [
    ['no argument', '', '{\n  imports: [PresenceModule.forRoot()],\n}'],
    ['an empty object', '{}', '{ imports: [PresenceModule.forRoot()] }'],
    ['one line', '{ imports: [A] }', '{ imports: [A, PresenceModule.forRoot()] }'],
    ['one line with a trailing comma', '{ imports: [A,], }', '{ imports: [A, PresenceModule.forRoot(),], }'],
    ['one line without imports', '{ providers: [A] }', '{ providers: [A], imports: [PresenceModule.forRoot()] }'],
    [
      'several lines without imports',
      '{\n  providers: [A],\n}',
      '{\n  providers: [A],\n  imports: [PresenceModule.forRoot()],\n}',
    ],
    [
      'a line for each element',
      '{\n  imports: [\n    A,\n    B,\n  ],\n}',
      '{\n  imports: [\n    A,\n    B,\n    PresenceModule.forRoot(),\n  ],\n}',
    ],
    [
      'no trailing comma',
      '{\n  imports: [\n    A,\n    B\n  ]\n}',
      '{\n  imports: [\n    A,\n    B,\n    PresenceModule.forRoot()\n  ]\n}',
    ],
    [
      'a comment after the last element',
      '{\n  imports: [\n    A, // first\n    B // last\n  ],\n}',
      '{\n  imports: [\n    A, // first\n    B, // last\n    PresenceModule.forRoot()\n  ],\n}',
    ],
    [
      'a disabled element',
      '{\n  imports: [\n    A,\n    // B.forRoot({ c: [] }),\n  ],\n}',
      '{\n  imports: [\n    A,\n    // B.forRoot({ c: [] }),\n    PresenceModule.forRoot(),\n  ],\n}',
    ],
    [
      'a comment alone',
      '{\n  imports: [\n    // none yet\n  ],\n}',
      '{\n  imports: [\n    // none yet\n    PresenceModule.forRoot(),\n  ],\n}',
    ],
    [
      'a comment between elements',
      '{ imports: [A /* a, [b] */, B] }',
      '{ imports: [A /* a, [b] */, B, PresenceModule.forRoot()] }',
    ],
    [
      'forRootAsync beside it',
      '{\n  imports: [\n    Config.forRootAsync({\n      useFactory: () => ({ list: [1, 2] }),\n    }),\n  ],\n}',
      '{\n  imports: [\n    Config.forRootAsync({\n      useFactory: () => ({ list: [1, 2] }),\n    }),\n    PresenceModule.forRoot(),\n  ],\n}',
    ],
    [
      'a long line',
      '{\n  imports: [FirstModuleOfMany, SecondModuleOfMany, ThirdModuleOfMany],\n}',
      '{\n  imports: [\n    FirstModuleOfMany,\n    SecondModuleOfMany,\n    ThirdModuleOfMany,\n    PresenceModule.forRoot(),\n  ],\n}',
    ],
    ['a spread', '{ imports: [...all] }', '{ imports: [...all, PresenceModule.forRoot()] }'],
    ['as const', '{ imports: ([A] as const) }', '{ imports: ([A, PresenceModule.forRoot()] as const) }'],
    ['a key in quotes', `{ 'imports': [A] }`, `{ 'imports': [A, PresenceModule.forRoot()] }`],
    ['tabs', '{\n\timports: [\n\t\tA,\n\t],\n}', '{\n\timports: [\n\t\tA,\n\t\tPresenceModule.forRoot(),\n\t],\n}'],
    [
      'four spaces',
      '{\n    providers: [A],\n    imports: [FirstModuleOfMany, SecondModuleOfMany, Third],\n}',
      '{\n    providers: [A],\n    imports: [\n        FirstModuleOfMany,\n        SecondModuleOfMany,\n        Third,\n        PresenceModule.forRoot(),\n    ],\n}',
    ],
  ];
  it.each(shapes)('with %s', (_, before, after) => {
    const file = (argument: string): string => `\n@Module(${argument})\nexport class AppModule {}\n`;
    expect(added(nest + file(before), presence)).toBe(
      `${nest}\nimport { PresenceModule } from 'rookery/presence';${file(after)}`,
    );
  });

  it('whose lists are constants of the file', () => {
    const text = `${nest}\nconst imports = [A];\nconst metadata = { imports } satisfies object;\n@Module(metadata)\nclass AppModule {}\n`;
    expect(added(text, presence)).toContain('const imports = [A, PresenceModule.forRoot()];');
  });

  it('beside others in the file is the one named AppModule', () => {
    const text = `${nest}\n@Module({ imports: [A] })\nclass Other {}\n@Module({ imports: [B] })\nclass AppModule {}\n`;
    const after = added(text, presence);
    expect(after).toContain('@Module({ imports: [A] })');
    expect(after).toContain('@Module({ imports: [B, PresenceModule.forRoot()] })');
  });

  it('with other decorators, a default export and an alias of Module', () => {
    const text = `import { Global, Module as Root } from "@nestjs/common";\n@Global()\n@Root({ imports: [] })\nexport default class extends Base {}\n`;
    expect(added(text, presence)).toContain('@Root({ imports: [PresenceModule.forRoot()] })');
  });

  it('keeps the ends of its lines', () => {
    const text = `${nest}\r\n\r\n@Module({\r\n  imports: [\r\n    A,\r\n  ],\r\n})\r\nexport class AppModule {}\r\n`;
    expect(added(text, presence, channels).replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });
});

describe('imports', () => {
  const decorated = '\n@Module({ imports: [] })\nexport class AppModule {}\n';

  it('have the quotes and semicolons of the others', () => {
    const text = `import { Module } from "@nestjs/common"${decorated}`;
    expect(added(text, presence)).toContain(`"@nestjs/common"\nimport { PresenceModule } from "rookery/presence"\n`);
  });

  it('join a statement for the same module', () => {
    const text = `${nest}\nimport { EventsService } from 'rookery/channels';${decorated}`;
    expect(added(text, channels)).toContain(`import { EventsService, ChannelsModule } from 'rookery/channels';`);
  });

  it('do not join a statement of types', () => {
    const text = `${nest}\nimport type { MemberActivity } from 'rookery/channels';${decorated}`;
    expect(added(text, channels)).toContain(`\nimport { ChannelsModule } from 'rookery/channels';\n`);
  });

  it('stand after a comment at the end of the last one', () => {
    const text = `${nest} // Nest${decorated}`;
    expect(added(text, presence)).toContain(`${nest} // Nest\nimport { PresenceModule }`);
  });

  it('get another name where the file has a thing of this name', () => {
    const text = `${nest}\nimport { ChannelsModule } from './channels/channels.module';\nconst app = 1;\n@Module({ imports: [ChannelsModule] })\nclass AppModule {}\n`;
    expect(opened(text).has(channels)).toBe(false);
    const after = added(text, channels);
    expect(after).toContain(`import { ChannelsModule as RookeryChannelsModule } from 'rookery/channels';`);
    expect(after).toContain('RookeryChannelsModule.forRoot({ apps: [RookeryApp] })');
  });
});

describe('what is there already', () => {
  const decorated = (element: string, ...statements: readonly string[]): string =>
    inLines(nest, ...statements, `@Module({ imports: [${element}] })`, 'export class AppModule {}');
  const imported = `import { ChannelsModule } from 'rookery/channels';`;

  it.each([
    ['forRoot', decorated('ChannelsModule.forRoot({ apps: [] })', imported)],
    ['forRootAsync', decorated('ChannelsModule.forRootAsync({ useClass: Options })', imported)],
    ['a condition', decorated('...(on ? [ChannelsModule.forRoot()] : [])', imported)],
    ['an alias', decorated('Realtime.forRoot()', `import { ChannelsModule as Realtime } from 'rookery/channels';`)],
    ['a namespace', decorated('all.ChannelsModule.forRoot()', `import * as all from 'rookery/channels';`)],
    ['a constant', decorated('realtime', imported, 'const realtime = ChannelsModule.forRoot({ apps: [] });')],
  ])('is found as %s', (_, text) => {
    expect(opened(text).has(channels)).toBe(true);
  });

  it('is not found where it is only exported or a type', () => {
    const text = `${nest}\n${imported}\n@Module({ imports: [], exports: [ChannelsModule] })\nclass AppModule {}\n`;
    expect(opened(text).has(channels)).toBe(false);
  });

  it('is refused without forRoot, with the line to write', () => {
    expect(() => opened(decorated('ChannelsModule', imported)).has(channels)).toThrow(
      'app.module.ts:3: ChannelsModule is imported without .forRoot(). Write ChannelsModule.forRoot({ apps: [app] })',
    );
  });

  it('is everything after it was added', () => {
    const file = opened(added(decorated('A'), presence, channels, access));
    expect([presence, channels, access].map((entry) => file.has(entry))).toEqual([true, true, true]);
  });
});

describe('a file that cannot be edited', () => {
  it.each([
    [
      'is not TypeScript',
      `${nest}\n@Module({ imports: [ })\nclass AppModule {}\n`,
      /^app\.module\.ts:2:22 is not valid TypeScript: /,
    ],
    [
      'has no module',
      `import { Module } from './mine';\n@Module({})\nclass AppModule {}\n`,
      /has no class with @Module\(\)/,
    ],
    [
      'has two',
      `${nest}\n@Module({})\nclass A {}\n@Module({})\nclass B {}\n`,
      /several modules, none AppModule: .* --module/,
    ],
  ])('%s', (_, text, fault) => {
    expect(() => opened(text)).toThrow(fault);
  });

  it.each([
    ['a list from elsewhere', '{ imports: modules }'],
    ['a computed list', '{ imports: [A].concat(B) }'],
    ['an object from elsewhere', 'metadata'],
    ['an object that spreads another', '{ ...metadata }'],
  ])('has %s: the error says what to add', (_, argument) => {
    const text = `${nest}\n@Module(${argument})\nclass AppModule {}\n`;
    expect(() => added(text, presence)).toThrow(
      /^app\.module\.ts:2: .*Add these yourself:\n  imports: PresenceModule\.forRoot\(\)$/s,
    );
  });
});
