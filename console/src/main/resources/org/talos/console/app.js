// SPDX-License-Identifier: Apache-2.0
const session = "../v1/session";
const form = document.getElementById("sign-in");
const signedIn = document.getElementById("signed-in");
const alert = document.querySelector("[role=alert]");
let csrf = null;

function show(user) {
  form.hidden = user !== null;
  signedIn.hidden = user === null;
  if (user === null) {
    delete signedIn.dataset.signedIn;
  } else {
    signedIn.dataset.signedIn = user;
    signedIn.querySelector("output").textContent = user;
  }
}

async function take(answer) {
  const body = await answer.json();
  if (!answer.ok) {
    throw new Error(body.detail);
  }
  csrf = body.csrf;
  alert.textContent = "";
  show(body.user);
}

async function signIn(event) {
  event.preventDefault();
  const keys = Object.fromEntries(new FormData(form));
  form.elements.secretKey.value = "";
  try {
    await take(await fetch(session, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(keys),
    }));
  } catch (problem) {
    alert.textContent = problem.message;
  }
}

async function signOut(everywhere) {
  const answer = await fetch(session + (everywhere ? "?everywhere=true" : ""), {
    method: "DELETE",
    headers: {"Talos-Csrf": csrf},
  });
  if (answer.ok || answer.status === 401) {
    show(null);
  } else {
    alert.textContent = (await answer.json()).detail;
  }
}

form.addEventListener("submit", signIn);
signedIn.addEventListener("click", (event) => {
  const action = event.target.dataset.action;
  if (action) {
    signOut(action === "sign-out-everywhere");
  }
});

const known = await fetch(session);
if (known.status === 200) {
  await take(known);
} else {
  show(null);
}
