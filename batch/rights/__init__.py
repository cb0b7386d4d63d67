"""What sites say about the use of their pages, asked for before and recorded after."""

from batch.rights.fetching import site_files
from batch.rights.record import Document, rights_record
from batch.rights.robots import NOT_ASKED, Robots, RobotsDecision, RobotsRules
from batch.rights.tdm import Reservation, TdmFiles

__all__ = [
    "NOT_ASKED",
    "Document",
    "Reservation",
    "Robots",
    "RobotsDecision",
    "RobotsRules",
    "TdmFiles",
    "rights_record",
    "site_files",
]
