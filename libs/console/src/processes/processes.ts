import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type NodeAnswers, NodeRpc, nodeSubject } from 'rookery/internal/channels';
import { ProcessView } from './process-view.js';

type Answers = ProcessView['answers'];
type Question = keyof Answers;

const consoleRead = nodeSubject<{ readonly question: string; readonly about: unknown }, unknown>('console.read');

/** Asks all processes, this one included, what they answer about themselves. */
@Injectable()
export class Processes implements OnApplicationBootstrap {
  constructor(
    private readonly calls: NodeRpc,
    private readonly view: ProcessView,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.on(consoleRead, ({ question, about }) => {
      if (!isKnown(this.view.answers, question))
        throw new Error(`the console of another release asks "${question}", which this one does not know`);
      return this.view.answers[question](about as never);
    });
  }

  /** Those that do not answer in time, or do not know the question, count as missing. */
  async read<Name extends Question>(
    question: Name,
    ...[about = {}]: Parameters<Answers[Name]>
  ): Promise<NodeAnswers<ReturnType<Answers[Name]>>> {
    // A process answers by the same table.
    return (await this.calls.askAll(consoleRead, { question, about })) as NodeAnswers<ReturnType<Answers[Name]>>;
  }

  /** The answers alone. */
  async all<Name extends Question>(
    question: Name,
    ...about: Parameters<Answers[Name]>
  ): Promise<readonly ReturnType<Answers[Name]>[]> {
    const { answers } = await this.read(question, ...about);
    return answers.map(({ answer }) => answer);
  }
}

const isKnown = <T extends object>(all: T, name: PropertyKey): name is keyof T => Object.hasOwn(all, name);
