/**
 * What a stand-in answers, by token. The answers of a token are given in turn and the last one stays; a token without
 * any gets the answers for all, and without those the stand-in's success.
 */
export class Script<Answer> {
  private readonly byToken = new Map<string, Answer[]>();
  private forAll: Answer[] = [];

  constructor(private readonly success: Answer) {}

  answer(token: string, ...answers: Answer[]): void {
    this.byToken.set(token, answers);
  }

  answerAll(...answers: Answer[]): void {
    this.forAll = answers;
  }

  next(token: string): Answer {
    const answers = this.byToken.get(token) ?? this.forAll;
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? this.success;
  }
}
