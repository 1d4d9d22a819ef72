// Sends one file in pieces; cut off, it asks how much has arrived and goes on from there. Knows the protocol, draws nothing. `fields` say what the
// dataset is to be called and continues; the portal keeps them with the file, so that whoever resumes need not say them again.
// `tell(state, facts)` hears: sending {arrived, rate}, looking {}, cut {arrived, inSeconds}, refused {problem, isOver}, done {go}.
const WAITS = [1, 2, 5, 10];
const SIGNED_OUT = "You are no longer signed in. Sign in again and resume; what has arrived is kept.";
const BROKEN = "The portal could not answer. What has arrived is kept.";

class Answer extends Error {
  constructor(status, body) {
    super(`answer ${status}`);
    this.status = status;
    this.body = body;
  }
}

export class Sending {
  constructor(file, { begin, token, pieceBytes, fields, tell }) {
    Object.assign(this, { file, begin, token, pieceBytes, fields, tell });
    this.address = "";
    this.arrived = 0;
    this.failures = 0;
    this.isStopped = false;
  }

  async run() {
    clearTimeout(this.timer);
    this.isStopped = false;
    try {
      await this.sendAll();
    } catch (error) {
      this.explain(error);
    }
  }

  async sendAll() {
    const { name, size, lastModified } = this.file;
    const begun = await this.post(this.begin, { file_name: name, file_bytes: size, file_stamp: lastModified, ...this.fields });
    this.address = begun.address;
    this.arrived = begun.arrived;
    this.startedAt = performance.now();
    this.startedWith = begun.arrived;
    this.report(0);
    while (this.arrived < size) {
      this.arrived = (await this.sendPiece()).arrived;
      this.failures = 0;
    }
    this.tell("looking", {});
    this.tell("done", await this.post(`${this.address}finish/`, {}));
  }

  report(underWay) {
    const seconds = (performance.now() - this.startedAt) / 1000;
    const arrived = Math.min(this.arrived + underWay, this.file.size);
    const rate = seconds > 0.5 ? (arrived - this.startedWith) / seconds : 0;
    this.tell("sending", { arrived, rate });
  }

  async sendPiece() {
    const piece = this.file.slice(this.arrived, this.arrived + this.pieceBytes);
    try {
      return await this.send(`${this.address}?start=${this.arrived}`, piece, "application/octet-stream");
    } catch (error) {
      // Another window was quicker, or the line broke inside the piece: the answer says where to go on.
      if (error.status === 409) return error.body;
      throw error;
    }
  }

  post(address, fields) {
    return this.send(address, new URLSearchParams(fields), "application/x-www-form-urlencoded");
  }

  // Not fetch(): only this tells how much of a piece is on its way.
  send(address, body, kind) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.open("POST", address);
      request.setRequestHeader("X-CSRFToken", this.token);
      request.setRequestHeader("Content-Type", kind);
      if (body instanceof Blob) request.upload.addEventListener("progress", (event) => this.report(event.loaded));
      request.addEventListener("load", () => {
        const answer = readAnswer(request);
        if (request.status === 200 && answer) resolve(answer);
        else reject(new Answer(request.status, answer));
      });
      for (const end of ["error", "timeout", "abort"]) request.addEventListener(end, () => reject(new Answer(0, null)));
      request.send(body);
    });
  }

  explain(error) {
    if (this.isStopped) return;
    if (!(error instanceof Answer)) throw error;
    const { status, body } = error;
    if (status === 0 || status === 400) this.tryLater();
    else if (body?.problem) this.tell("refused", { problem: body.problem, isOver: status === 422 });
    else this.tell("refused", { problem: status === 200 || status === 403 ? SIGNED_OUT : BROKEN, isOver: false });
  }

  tryLater() {
    const seconds = WAITS[Math.min(this.failures, WAITS.length - 1)];
    this.failures += 1;
    this.tell("cut", { arrived: this.arrived });
    this.timer = setTimeout(() => this.run(), 1000 * seconds);
  }

  stop() {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.request?.abort();
  }

  async giveUp() {
    this.stop();
    if (this.address) await this.post(`${this.address}give-up/`, {}).catch(() => {});
  }
}

function readAnswer(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null;
  }
}
