"""An agent buys something in the demo shop with nothing but refs from scans."""

from __future__ import annotations

from starlette.testclient import TestClient

from api.demo import DemoServer
from tests.api.tabs.driving import Driver


def test_a_purchase_with_only_refs_from_scans(client: TestClient, demo: DemoServer) -> None:
    shop = Driver(client, f"{demo.url}/counter")
    shop.scan()
    assert "Brass lantern" in shop.seen["page"]["content"]["markdown"]
    done = shop.act("click", shop.ref("Add Brass lantern to basket"))
    # It lives for 400 ms.
    assert done["transient"] == ["Brass lantern is in your basket"]
    assert done["largest"]["text"] == "Basket (1)"
    shop.act("click", shop.ref("Add Oak kettle, blue to basket"))

    shop.scan(changes_only=True)
    assert shop.seen["page"] is None
    assert [line.split()[-1] for line in shop.seen["changes"]["added"]] == ["(2)"]
    assert [control["name"] for control in shop.seen["controls"]] == ["Basket (2)"]
    done = shop.act("click", shop.ref("Basket (2)"))
    assert done["navigated"] == f"{demo.url}/till"

    shop.scan()
    assert "£73.50" in shop.seen["page"]["content"]["markdown"]
    shop.act("type", shop.ref("Name"), text="Ada Lovelace")
    shop.act("select", shop.ref("Delivery"), values=["By post"])
    done = shop.act("click", shop.ref("terms of sale", "link"))
    [terms] = done["new_tabs"]
    assert (terms["title"], terms["opener"]) == ("Terms of sale | Hearth & Sill", shop.tab["id"])
    read = client.post(f"/v1/tabs/{terms['id']}/scan", json={"format": "text"}).json()
    assert "Returns within sixty days" in read["page"]["content"]["text"]
    assert client.delete(f"/v1/tabs/{terms['id']}").status_code == 204

    shop.act("click", shop.ref("I have read the terms of sale", "checkbox"))
    done = shop.act("click", shop.ref("Place the order"))
    asked = {"kind": "confirm", "message": "Place an order for £73.50?"}
    assert done["dialogs"] == [{**asked, "answer": "dismissed"}]
    assert done["navigated"] == ""
    done = shop.act("click", shop.ref("Place the order"), dialogs="accept")
    assert done["dialogs"] == [{**asked, "answer": "accepted"}]
    assert done["navigated"].startswith(f"{demo.url}/receipt?")
    told = shop.execute("return document.querySelector('#line').textContent")
    assert told["value"] == "Thank you, Ada Lovelace: £73.50, by post."
    shop.close()
    assert client.get("/v1/tabs").json() == {"tabs": []}
