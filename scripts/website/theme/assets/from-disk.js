/* from-disk.js - a page that was opened from disk may not start workers from files; the search runs in a hidden frame instead.
 *
 * SPDX-License-Identifier: MIT */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.loaded = new Promise((resolve) => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          resolve(inside);
        });
      });
      this.frame.srcdoc = `<script src="${new URL(address, document.baseURI)}"></script>`;
      document.body.appendChild(this.frame);
    }

    postMessage(data) {
      this.loaded.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
